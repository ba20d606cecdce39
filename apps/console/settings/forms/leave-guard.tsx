import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';

const LeaveDialog = lazy(() => import('./leave-dialog'));

/** Asks before unsaved changes are left. For a closed tab, the browser asks. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Suspense>
      <LeaveDialog onLeave={blocker.proceed} onStay={blocker.reset} />
    </Suspense>
  );
}
