import { useMutation } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { berlinDay } from '../text/berlin-day';
import { lazyTexts, useFormats, useLanguage, useTexts } from '../text/texts';
import { sentenceOf } from '../messages/fault';
import { useKeys } from '../keyboard/keys';
import { csvTypeFor, fileName, saveFile } from './saved-file';
import { useSession } from '../session/session.calls';
import { toasts } from '../messages/toasts';

interface Props {
  /** Begins the name of the file. */
  title: string;
  /** Exact, under all filters; undefined while it is not known. */
  total: number | undefined;
  /** Gets everything under the filters, not only what is loaded, in this form. */
  load: (csvType: string) => Promise<Blob>;
}

/** Saves a list as a table. */
export function SaveList({ title, total, load }: Props) {
  const texts = useSavingTexts();
  const all = useTexts();
  const language = useLanguage();
  const formats = useFormats();
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
  const count = total === undefined ? '' : formats.number(total);
  return (
    <Button shortcut="Shift e" isPending={saving.isPending} onPress={save}>
      {saving.isPending ? texts.saving(count) : texts.save}
    </Button>
  );
}

/** Not part of the texts of the first load. */
const useSavingTexts = lazyTexts({
  de: async () => (await import('./saving.de')).saving,
  en: async () => (await import('./saving.en')).saving,
});
