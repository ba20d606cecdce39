import type { ReactNode } from 'react';
import css from './empty-state.module.css';

interface Props {
  /** None at all, none under this filter, or all done: they say different things. */
  title: string;
  /** It is all that the page has. */
  isPage?: boolean;
  children?: ReactNode;
}

export function EmptyState({ title, isPage = false, children }: Props) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className={css.empty}>
      <Title className={css.title}>{title}</Title>
      {children}
    </div>
  );
}
