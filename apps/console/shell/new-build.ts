import type { AnyRouter } from '@tanstack/react-router';

const RELOADED_KEY = 'offizin.reloaded';

/**
 * After a new build an open tab asks for files that are gone. The next change of route then loads the page anew,
 * once: a file that is missing for another reason must not end in a circle.
 */
export function reloadOnceAfterNewBuild(router: AnyRouter): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (window.sessionStorage.getItem(RELOADED_KEY) !== null) return;
    event.preventDefault();
    window.sessionStorage.setItem(RELOADED_KEY, '1');
    window.location.assign(router.latestLocation.publicHref);
  });
  router.subscribe('onResolved', () => {
    window.sessionStorage.removeItem(RELOADED_KEY);
  });
}
