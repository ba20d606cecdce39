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

interface Props {
  /** Begins the name of the file. */
  title: string;
  /** Gets everything under the filters, not only what is loaded, in this form. */
  load: (csvType: string) => Promise<Blob>;
}

/** Saves a list as a table. */
export function SaveList({ title, load }: Props) {
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
  useKeys('page', [{ keys: 'Shift e', does: texts.save, run: save }]);
  return (
    <IconButton name={texts.save} shortcut="Shift e" isPending={saving.isPending} onPress={save}>
      <SaveIcon />
    </IconButton>
  );
}

/** Not part of the texts of the first load. */
const useSavingTexts = lazyTexts({
  de: async () => (await import('./saving.de')).saving,
  en: async () => (await import('./saving.en')).saving,
});
