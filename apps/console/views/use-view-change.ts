import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { View, ViewChanges, ViewScreen } from '@offizin/contracts/views';
import { ApiError } from '../shell/api';
import { sentenceOf } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import { useViewsTexts } from './views-texts';
import { changeView, viewsQuery } from './views.calls';

interface Change {
  view: View;
  body: ViewChanges;
  /** What the person reads then. */
  done: (name: string) => string;
  onDone?: () => void;
}

/** A change of a view without a dialog. When a colleague was faster, the person looks again first. */
export function useViewChange(screen: ViewScreen): (change: Change) => void {
  const all = useTexts();
  const texts = useViewsTexts();
  const { org } = useSession();
  const client = useQueryClient();
  const { queryKey } = viewsQuery(org.id, screen);
  const { mutate } = useMutation({
    mutationFn: ({ view, body }: Change) => changeView(org.id, view, body),
    onSuccess: (saved, { done, onDone }) => {
      client.setQueryData(queryKey, (views) => views?.map((view) => (view.id === saved.id ? saved : view)));
      onDone?.();
      toasts.show({ text: done(saved.name) });
    },
    onError: (error) => {
      const code = error instanceof ApiError ? error.code : '';
      const known = { precondition_failed: texts.faster, conflict: texts.taken }[code];
      toasts.show({ text: known ?? sentenceOf(error, all), tone: 'failure' });
      void client.invalidateQueries({ queryKey });
    },
  });
  return mutate;
}
