import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '../text/texts';
import { sentenceOf } from './fault';
import { isDark } from './preferences';
import { changePreferences } from './preferences.calls';
import { sessionQuery, signOut, useSession } from './session.calls';
import { toasts } from './toasts';

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
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await navigate({ to: '/sign-in' });
      // Whatever was read belongs to the person who has gone.
      queries.clear();
    },
    onError: (error) => {
      toasts.show({ text: sentenceOf(error, texts), tone: 'failure' });
    },
  });
  return () => {
    mutate();
  };
}
