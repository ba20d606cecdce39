import type { ReactNode } from 'react';
import css from './page-head.module.css';

export interface PageHeadProps {
  title: string;
  /** What the page is for, in one sentence. */
  about: ReactNode;
  /** The act that matters on this page. */
  act?: ReactNode;
}

/** The head of every page that is not a list. */
export function PageHead({ title, about, act }: PageHeadProps) {
  return (
    <header className={css.head}>
      <div className={css.words}>
        <h1 className={css.title}>{title}</h1>
        <p className={css.about}>{about}</p>
      </div>
      {act}
    </header>
  );
}
