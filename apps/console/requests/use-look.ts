import { useEffect, useState } from 'react';
import { type Look, LOOK_MS } from './armed';

/** Follows one part of the request in its present state `of`. `isDrawn`: it has its content; `isShown`: no other pane is there in its place. */
export function useLook(of: string, isDrawn: boolean, isShown: boolean): Look {
  const [seen, setSeen] = useState<string | null>(null);
  const isOnScreen = isDrawn && isShown;
  useEffect(() => {
    if (!isOnScreen) return undefined;
    let timer: number | undefined;
    const stop = afterPaint(() => {
      timer = window.setTimeout(() => {
        setSeen(of);
      }, LOOK_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [of, isOnScreen]);
  // In a very low window a document is drawn only when it is shown.
  if (!isDrawn) return isShown ? 'loading' : 'hidden';
  if (seen === of) return 'seen';
  return isShown ? 'fresh' : 'hidden';
}

/** Whether an element of the state `of` has been within the window. Give `ref` to the element. */
export function useReached(of: string) {
  const [element, ref] = useState<Element | null>(null);
  const [reached, setReached] = useState<string | null>(null);
  useEffect(() => {
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setReached(of);
      },
      { threshold: 0.5 },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [element, of]);
  return { ref, isReached: reached === of };
}

/** Two frames later, what React has drawn is on the screen. Returns what takes the call back. */
function afterPaint(run: () => void): () => void {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(run);
  });
  return () => {
    cancelAnimationFrame(frame);
  };
}
