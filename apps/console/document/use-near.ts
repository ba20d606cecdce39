import { type RefObject, useEffect, useState } from 'react';

/** Whether the element has come near the visible part; it stays so. */
export function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
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
  }, [element]);
  return isNear;
}
