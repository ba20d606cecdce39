import { sentenceOf } from '../messages/fault';
import { readableOf } from '../text/customer-name';
import { lazyTexts, useFormats, useTexts } from '../text/texts';
import { CodeTaken } from './products.calls';

/** Not part of the texts of the first load. */
export const useProductTexts = lazyTexts({
  de: async () => (await import('./products.de')).products,
  en: async () => (await import('./products.en')).products,
});

/** The sentence about a failed change; it names the product that has a code. */
export function useFailure(): (error: unknown) => string {
  const texts = useProductTexts();
  const shared = useTexts();
  return (error) =>
    error instanceof CodeTaken ? texts.codeTaken(error.taken, error.product) : sentenceOf(error, shared);
}

/** A value of a layer as a person reads it. */
export function useValueText(): (field: string, value: string | number | boolean | null) => string {
  const texts = useProductTexts();
  const formats = useFormats();
  return (field, value) => {
    if (value === null || value === '') return texts.none;
    if (typeof value === 'boolean') return value ? texts.yes : texts.no;
    if (typeof value === 'string') return readableOf(value);
    return field === 'price' ? formats.money(value) : formats.number(value);
  };
}
