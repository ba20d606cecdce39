import type { ReactNode } from 'react';
import css from './review.module.css';

/** One titled part of the review. */
export function Section({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={css.section}>
      <div className={css.titleRow}>
        <h2 className={css.title}>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
