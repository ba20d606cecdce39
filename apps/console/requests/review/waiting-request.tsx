import type { ReactNode } from 'react';
import { useTexts } from '../../text/texts';
import css from './requests.module.css';

/** In place of the review until it is there. With content: why it is not. */
export function WaitingRequest({ children = null }: { children?: ReactNode }) {
  const texts = useTexts().requests;
  return (
    <section className={css.waiting} aria-label={texts.review} aria-busy={children === null}>
      {children}
    </section>
  );
}
