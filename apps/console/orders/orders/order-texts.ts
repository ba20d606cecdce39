import { readableOf } from '../../text/customer-name';
import { lazyTexts, useFormats } from '../../text/texts';
import type { LotOfPacks } from './order-lots';

/** Not part of the texts of the first load. */
export const useOrderTexts = lazyTexts({
  de: async () => (await import('./orders.de')).orders,
  en: async () => (await import('./orders.en')).orders,
});

/** The number of a lot, its last good day and the test number, as far as they are known. */
export function useLotText(): (lot: LotOfPacks) => string {
  const { lots: texts } = useOrderTexts();
  const formats = useFormats();
  return ({ lot, expires_on: day, test_number: test }) =>
    [
      texts.of(readableOf(lot)),
      day !== null && texts.until(formats.date(day)),
      test !== null && texts.testOf(readableOf(test)),
    ]
      .filter(Boolean)
      .join(' · ');
}

/** A stored value of a field as a person reads it. */
export function useValueText(): (field: string, value: string | null) => string {
  const texts = useOrderTexts();
  const formats = useFormats();
  const words = new Map<string, Readonly<Record<string, string>>>([
    ['status', texts.status],
    ['payment_status', texts.payment],
  ]);
  return (field, value) => {
    if (value === null || value === '') return texts.nothing;
    if (value === 'true') return texts.yes;
    if (value === 'false') return texts.no;
    if (field === 'total_amount') return formats.money(Number(value));
    if (field === 'order_datetime') return formats.dateTime(value);
    return words.get(field)?.[value] ?? value;
  };
}
