import { useMutation } from '@tanstack/react-query';
import { IconButton } from '../controls/button';
import { SaveIcon } from '../controls/icon';
import { berlinDay } from '../text/berlin-day';
import { lazyTexts, useLanguage, useTexts } from '../text/texts';
import { sentenceOf } from '../messages/fault';
import { useKeys } from '../keyboard/keys';
import { csvTypeFor, fileName, saveFile } from './saved-file';
import { useSession } from '../session/session.calls';
import { toasts } from '../messages/toasts';

interface Saved {
  /** Begins the name of the file. */
  title: string;
  /** Gets everything under the filters, not only what is loaded, in this form. */
  load: (csvType: string) => Promise<Blob>;
}

interface Props extends Saved {
  /** The key saves a selection instead. */
  hasKey?: boolean;
}

/** Saves a list as a table. */
export function SaveList({ hasKey = true, ...saved }: Props) {
  const { name, save, isPending } = useSaving(saved, hasKey);
  return (
    <IconButton name={name} {...(hasKey ? { shortcut: SAVE_KEY } : {})} isPending={isPending} onPress={save}>
      <SaveIcon />
    </IconButton>
  );
}

export const SAVE_KEY = 'Shift e';

/** Saves by the key, and by what else calls `save`. */
export function useSaving({ title, load }: Saved, hasKey = true) {
  const texts = useSavingTexts();
  const all = useTexts();
  const language = useLanguage();
  const { org } = useSession();
  const saving = useMutation({
    mutationFn: () => load(csvTypeFor(language)),
    onSuccess: (file) => {
      const name = fileName(title, org.name, berlinDay(Date.now()));
      saveFile(file, name);
      toasts.show({ text: texts.saved(name) });
    },
    // A transfer that broke off is here, too: no part of a file is saved.
    onError: (error) => toasts.show({ text: sentenceOf(error, all), tone: 'failure' }),
  });
  const save = () => {
    if (!saving.isPending) saving.mutate();
  };
  useKeys('page', hasKey ? [{ keys: SAVE_KEY, does: texts.save, run: save }] : []);
  return { name: texts.save, save, isPending: saving.isPending };
}

/** Not part of the texts of the first load. */
const useSavingTexts = lazyTexts({
  de: async () => (await import('./saving.de')).saving,
  en: async () => (await import('./saving.en')).saving,
});
