import type { ReactNode } from 'react';
import css from './page-head.module.css';

export interface PageHeadProps {
  title: string;
  /** Leads to the page above. */
  back?: ReactNode;
  /** Beside the title, such as a chip. */
  state?: ReactNode;
  /** What the page is for, in one sentence. */
  about: ReactNode;
  /** The act that matters on this page. */
  act?: ReactNode;
}

/** The head of every page that is not a list. */
export function PageHead({ title, back, state, about, act }: PageHeadProps) {
  return (
    <header className={css.head}>
      <div className={css.words}>
        <div className={css.name}>
          {back}
          <h1 className={css.title}>{title}</h1>
          {state}
        </div>
        <p className={css.about}>{about}</p>
      </div>
      {act}
    </header>
  );
}
