import { useSyncExternalStore } from 'react';

/**
 * Action bars of the page. Beside an open object, a list with a selection has one, too. Only messages need to know: a
 * property on the page would make the browser style each word of a document again whenever a bar grows.
 */
const heightsPx = new Map<HTMLElement, number>();
const listeners = new Set<() => void>();

/** Of the highest bar at the bottom of the page, in px. */
export function useBarHeight(): number {
  return useSyncExternalStore(subscribe, () => Math.max(0, ...heightsPx.values()));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the height of this bar until the returned function is called. */
export function followBar(bar: HTMLElement): () => void {
  const tell = () => {
    listeners.forEach((listener) => {
      listener();
    });
  };
  const observer = new ResizeObserver(() => {
    heightsPx.set(bar, bar.offsetHeight);
    tell();
  });
  observer.observe(bar);
  return () => {
    observer.disconnect();
    heightsPx.delete(bar);
    tell();
  };
}
