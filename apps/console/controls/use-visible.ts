import { type RefObject, useEffect, useEffectEvent, useState } from 'react';

/** A part that is passed faster has not been seen. */
const SEEN_MS = 400;
/** Of the element: what lies below its middle can be a further line, or a stroke through one. */
const SEEN_OF_ELEMENT = 0.8;
/** Of the window, for an element that is higher. */
const SEEN_OF_WINDOW = 0.5;

/** Calls `onSeen` once most of the element, or half of the window, has shown it for a moment. */
export function useOnScreen(element: RefObject<HTMLElement | null>, isOn: boolean, onSeen: () => void): void {
  const seen = useEffectEvent(onSeen);
  useEffect(() => {
    const { current } = element;
    if (!isOn || !current) return undefined;
    let timer: number | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        window.clearTimeout(timer);
        const last = entries.at(-1);
        if (!last) return;
        const { intersectionRatio, intersectionRect, rootBounds } = last;
        const share = intersectionRect.height / (rootBounds?.height ?? window.innerHeight);
        if (intersectionRatio >= SEEN_OF_ELEMENT || share >= SEEN_OF_WINDOW)
          timer = window.setTimeout(seen, SEEN_MS);
      },
      { threshold: [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, SEEN_OF_ELEMENT, 1] },
    );
    observer.observe(current);
    return () => {
      window.clearTimeout(timer);
      observer.disconnect();
    };
  }, [element, isOn]);
}

/** Whether the element has come near the visible part; it stays so. `isFirst`: it is near from the beginning. */
export function useNear(element: RefObject<HTMLElement | null>, isFirst = false): boolean {
  const [isNear, setNear] = useState(isFirst);
  useEffect(() => {
    const { current } = element;
    if (!current || isFirst) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setNear(true);
      },
      { rootMargin: '600px' },
    );
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, [element, isFirst]);
  return isNear;
}
