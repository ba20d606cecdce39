import { useMutation } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { sentenceOf } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { berlinDay } from '../text/berlin-day';
import { useFormats, useLanguage, useTexts } from '../text/texts';
import { csvTypeFor, exportQuery, fileName, saveFile } from './order-file';
import type { OrderFilters } from './order-search';
import { useOrderTexts } from './order-texts';
import { orderFile } from './orders.calls';

/** Saves all orders under these filters, not only those that are loaded. */
export function ExportButton({ filters, total }: { filters: OrderFilters; total: number | undefined }) {
  const texts = useOrderTexts();
  const all = useTexts();
  const language = useLanguage();
  const formats = useFormats();
  const { org } = useSession();
  const saving = useMutation({
    mutationFn: () => orderFile(org.id, exportQuery(filters), csvTypeFor(language)),
    onSuccess: (file) => {
      const name = fileName(texts.title, org.name, berlinDay(Date.now()));
      saveFile(file, name);
      toasts.show({ text: texts.exported(name) });
    },
    // A transfer that broke off is here, too: no part of a file is saved.
    onError: (error) => toasts.show({ text: sentenceOf(error, all), tone: 'failure' }),
  });
  const save = () => {
    if (!saving.isPending) saving.mutate();
  };
  useKeys('page', [{ keys: 'Shift e', does: texts.export, run: save }]);
  const count = total === undefined ? '' : formats.number(total);
  return (
    <Button shortcut="Shift e" isPending={saving.isPending} onPress={save}>
      {saving.isPending ? texts.exporting(count) : texts.export}
    </Button>
  );
}
