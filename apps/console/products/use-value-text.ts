import { useFormats } from '../text/texts';
import { useProductTexts } from './product-texts';

/** A value of a layer as a person reads it. */
export function useValueText(): (field: string, value: string | number | boolean | null) => string {
  const texts = useProductTexts();
  const formats = useFormats();
  return (field, value) => {
    if (value === null) return texts.none;
    if (typeof value === 'boolean') return value ? texts.yes : texts.no;
    if (typeof value === 'string') return value;
    return field === 'price' ? formats.money(value) : formats.number(value);
  };
}
