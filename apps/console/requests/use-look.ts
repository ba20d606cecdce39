import { useEffect, useState } from 'react';
import { type Look, LOOK_MS } from './armed';

/** Follows one part of the request. `isDrawn`: it has its content; `isShown`: no other pane is there in its place. */
export function useLook(version: number, isDrawn: boolean, isShown: boolean): Look {
  const [seenVersion, setSeenVersion] = useState<number | null>(null);
  const isOnScreen = isDrawn && isShown;
  useEffect(() => {
    if (!isOnScreen) return undefined;
    let timer: number | undefined;
    const stop = afterPaint(() => {
      timer = window.setTimeout(() => {
        setSeenVersion(version);
      }, LOOK_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [version, isOnScreen]);
  // In a very low window a document is drawn only when it is shown.
  if (!isDrawn) return isShown ? 'loading' : 'hidden';
  if (seenVersion === version) return 'seen';
  return isShown ? 'fresh' : 'hidden';
}

/** Whether an element of this version has been within the window. Give `ref` to the element. */
export function useReached(version: number) {
  const [element, ref] = useState<Element | null>(null);
  const [reachedVersion, setReachedVersion] = useState<number | null>(null);
  useEffect(() => {
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setReachedVersion(version);
      },
      { threshold: 0.5 },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [element, version]);
  return { ref, isReached: reachedVersion === version };
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
