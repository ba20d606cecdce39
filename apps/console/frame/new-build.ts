import type { AnyRouter } from '@tanstack/react-router';

const RELOADED_KEY = 'offizin.reloaded';

/**
 * After a new build an open tab asks for files that are gone. The change of route that needs one reloads the page,
 * and so does the next change of route after another part is missing; once, for a file that is missing for another
 * reason must not end in a circle. While the server is unreachable nothing is reloaded: the page may hold a decision.
 */
export function reloadOnceAfterNewBuild(router: AnyRouter): void {
  let isOld = false;
  const reloadAt = (href: string) => {
    window.sessionStorage.setItem(RELOADED_KEY, '1');
    window.location.assign(href);
  };
  window.addEventListener('vite:preloadError', () => {
    if (window.sessionStorage.getItem(RELOADED_KEY) !== null) return;
    const isMoving = router.state.status === 'pending';
    void serverAnswers().then((answers) => {
      if (!answers) return;
      if (isMoving) reloadAt(router.latestLocation.publicHref);
      else isOld = true;
    });
  });
  router.subscribe('onBeforeNavigate', ({ pathChanged, toLocation }) => {
    if (isOld && pathChanged) reloadAt(toLocation.publicHref);
  });
  router.subscribe('onResolved', () => {
    if (!isOld) window.sessionStorage.removeItem(RELOADED_KEY);
  });
}

async function serverAnswers(): Promise<boolean> {
  try {
    return (await window.fetch('/console/', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
