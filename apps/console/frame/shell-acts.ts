import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTexts } from '../text/texts';
import { sentenceOf } from '../messages/fault';
import { changePreferences, isDark } from '../session/preferences';
import { sessionQuery, signOut, useSession } from '../session/session.calls';
import { tabWork } from '../session/tab-work';
import { toasts } from '../messages/toasts';

/** Acts that the rail and the palette share. */

export function useThemeSwitch() {
  const { settings } = useSession();
  const queries = useQueryClient();
  const dark = isDark(settings.theme);
  const change = useMutation({
    mutationFn: () => changePreferences({ theme: dark ? 'light' : 'dark' }),
    onSuccess: (session) => {
      queries.setQueryData(sessionQuery.queryKey, session);
    },
  });
  return {
    dark,
    toggle: () => {
      change.mutate();
    },
  };
}

export function useSignOut() {
  const texts = useTexts();
  const { mutate } = useMutation({
    // Held decisions are sent first. After a refusal the person stays signed in and reads it.
    mutationFn: async () => {
      const isDone = await tabWork.finish();
      if (isDone) await signOut();
      return isDone;
    },
    onSuccess: (isOut) => {
      // A new page: nothing of the person who has gone is left in memory.
      if (isOut) window.location.assign('/console/sign-in');
      else toasts.show({ text: texts.shell.stillSignedIn });
    },
    onError: (error) => {
      toasts.show({ text: sentenceOf(error, texts), tone: 'failure' });
    },
  });
  return () => {
    mutate();
  };
}
