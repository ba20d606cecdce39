import type { ReactNode } from 'react';
import css from './chip.module.css';

interface Props {
  /** Colour is for trouble and doubt; it never stands without the words. */
  tone?: 'plain' | 'good' | 'info' | 'warn' | 'danger';
  icon?: ReactNode;
  children: ReactNode;
}

export function Chip({ tone = 'plain', icon, children }: Props) {
  return (
    <span className={css.chip} data-tone={tone}>
      {icon}
      {children}
    </span>
  );
}
