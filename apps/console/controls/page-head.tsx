import type { ReactNode } from 'react';
import css from './page-head.module.css';

interface Props {
  title: string;
  /** What the page is for, in one sentence. */
  about?: ReactNode;
  /** The act that matters on this page. */
  act?: ReactNode;
}

/** The head of every page that is not a list. */
export function PageHead({ title, about, act }: Props) {
  return (
    <header className={css.head}>
      <div className={css.words}>
        <h1 className={css.title}>{title}</h1>
        {about !== undefined && <p className={css.about}>{about}</p>}
      </div>
      {act}
    </header>
  );
}
