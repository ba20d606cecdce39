import { type ReactNode, type RefObject, useRef } from 'react';
import { useKeys } from '../shell/keys';
import { useTexts } from '../text/texts';
import css from './requests.module.css';

/** Of the height of what is seen; the rest of it stays, so that no line is skipped. */
const STEP = 0.8;

interface Props {
  /** No other pane is there in its place. */
  isShown: boolean;
  children: ReactNode;
}

/** The part of the review that scrolls, also by keys wherever the focus is. */
export function ReviewScroll({ isShown, children }: Props) {
  const texts = useTexts().requests;
  const region = useRef<HTMLDivElement>(null);
  useKeys(
    'page',
    isShown
      ? [
          { keys: 'PageDown', does: texts.scrollDown, run: () => scroll(region, STEP), repeats: true },
          { keys: 'PageUp', does: texts.scrollUp, run: () => scroll(region, -STEP), repeats: true },
        ]
      : [],
  );
  return (
    <div ref={region} className={css.scroll} tabIndex={0} role="region" aria-label={texts.reviewRegion}>
      {children}
    </div>
  );
}

function scroll({ current }: RefObject<Element | null>, by: number): void {
  const scroller = current && scrollerOf(current);
  scroller?.scrollBy({ top: by * scroller.clientHeight });
}

/** In a very low window the whole page scrolls in its place. */
function scrollerOf(element: Element): Element {
  const isScroller =
    element.scrollHeight > element.clientHeight && getComputedStyle(element).overflowY !== 'visible';
  return isScroller || !element.parentElement ? element : scrollerOf(element.parentElement);
}
