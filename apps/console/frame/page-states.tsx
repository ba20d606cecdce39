import { lazyRouteComponent, Link, useRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { EmptyState } from '../controls/empty-state';
import { useTexts } from '../text/texts';
import { Fault, Refused } from '../messages/fault';
import { type Session, useSession } from '../session/session.calls';

/** States that every page has: not there, failed, still loading. */

export function NotFoundPage() {
  const texts = useTexts();
  return (
    <main>
      <EmptyState title={texts.fault.notFound} isPage>
        <Link to="/">{texts.fault.toStart}</Link>
      </EmptyState>
    </main>
  );
}

export function PageFault({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return <Fault error={error} onAgain={again} />;
}

export function PageLoading() {
  const texts = useTexts();
  return <EmptyState title={texts.shell.loading} />;
}

/** A page of those who have the scope. Others read what is missing, and who can give it. */
export function pageFor(scope: Session['scopes'][number], load: () => Promise<{ default: () => void }>) {
  const Page: ComponentType = lazyRouteComponent(load);
  return function ForThoseWhoMay() {
    const { staff, scopes } = useSession();
    return scopes.includes(scope) ? <Page /> : <Refused role={staff.role} />;
  };
}
