import type { ReactNode } from 'react';
import { Button } from './button';
import css from './detail-pane.module.css';
import { BackIcon } from './icon';

interface Props {
  label: string;
  /** Name of the button that leads to the list. */
  back: string;
  onClose: () => void;
  /** Missing until the object is loaded. */
  title?: string;
  /** Below the title. */
  facts?: ReactNode;
  isBusy?: boolean;
  /** DetailBody and an ActionBar, or what is in their place. */
  children: ReactNode;
}

/** The open object of a list: head, a part that scrolls, and the acts at the bottom. */
export function DetailPane({ label, back, onClose, title, facts, isBusy = false, children }: Props) {
  return (
    <section className={css.detail} aria-label={label} aria-busy={isBusy}>
      <header className={css.head}>
        <Button kind="quiet" onPress={onClose} aria-label={back}>
          <BackIcon />
        </Button>
        {title !== undefined && (
          <div className={css.title}>
            <h1>{title}</h1>
            {facts}
          </div>
        )}
      </header>
      {children}
    </section>
  );
}

/** It scrolls by itself and can be focused. */
export function DetailBody({
  label,
  notice,
  children,
}: {
  label: string;
  notice?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={css.scroll} tabIndex={0} role="region" aria-label={label}>
      {notice}
      <div className={css.body}>{children}</div>
    </div>
  );
}

interface SectionProps {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}

export function DetailSection({ title, action, children }: SectionProps) {
  return (
    <section className={css.section}>
      <div className={css.sectionTitle}>
        <h2>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
