import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Opens an object of a screen from every page. On that screen filter and sort stay as they are. */
export function useWayBack(to: '/requests' | '/orders' | '/orders/pack'): (id: string) => void {
  const router = useRouter();
  const navigate = useNavigate();
  return useCallback(
    (id) => {
      const isThere = router.matchRoute({ to });
      void navigate({ to, search: (before) => ({ ...(isThere ? before : {}), id, pane: undefined }) });
    },
    [router, navigate, to],
  );
}
