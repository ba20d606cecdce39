import type { ReactNode } from 'react';
import { useTexts } from '../text/texts';
import css from './card.module.css';

/** The one card of the pages before signing in. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  const texts = useTexts();
  return (
    <main className={css.ground}>
      <div className={css.card}>
        <p className={css.brand}>
          <span className={css.mark}>
            <span className={css.ring} />
          </span>
          {texts.shell.name}
        </p>
        <h1 className={css.title}>{title}</h1>
        {children}
      </div>
    </main>
  );
}
