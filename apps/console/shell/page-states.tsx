import { Link, useRouter } from '@tanstack/react-router';
import { EmptyState } from '../controls/empty-state';
import { useTexts } from '../text/texts';
import { Fault } from './fault';

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
