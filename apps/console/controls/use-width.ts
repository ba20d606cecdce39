import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** The width of an element in px, also after it has changed; null before the first look. */
export function useWidth<Measured extends HTMLElement>(): {
  ref: RefObject<Measured | null>;
  widthPx: number | null;
} {
  const ref = useRef<Measured>(null);
  const [widthPx, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    setWidth(element.clientWidth);
    return () => watch.disconnect();
  }, []);
  return { ref, widthPx };
}
