import { readableOf } from '../text/customer-name';
import type { Formats } from '../text/formats';
import type { PrescriptionTexts } from './prescriptions.de';

export interface SubmittedField {
  name: string;
  value: string;
}

interface Reader {
  texts: Pick<PrescriptionTexts, 'field' | 'product' | 'yes' | 'no'>;
  formats: Pick<Formats, 'money' | 'number' | 'date'>;
  /** The name of a shop by its id; null of an unknown one. */
  shopName: (id: string) => string | null;
}

const PRODUCT = /^(Product \d) (Service Product Id|Quantity|Price)$/;
const AMOUNT = /(?:^| )(?:Amount|Price|Total|Cost|Fee)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** In the order in which they came. The contract's fields are named by the console, others as the platform names them. */
export function submittedFields(data: Readonly<Record<string, unknown>>, reader: Reader): SubmittedField[] {
  return Object.entries(data).flatMap(([key, given]) => {
    const value = valueText(key, given, reader);
    return value === '' ? [] : [{ name: nameOf(key, reader.texts), value }];
  });
}

function nameOf(key: string, { field, product }: Reader['texts']): string {
  const [, position, part] = PRODUCT.exec(key) ?? [];
  if (position !== undefined && part !== undefined)
    return product(position.slice('Product '.length), field[part] ?? part);
  // A platform may call a field as it likes, also `constructor`.
  return Object.hasOwn(field, key) ? (field[key] ?? key) : key;
}

function valueText(key: string, value: unknown, reader: Reader): string {
  const { texts, formats, shopName } = reader;
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (typeof value === 'number')
    return AMOUNT.test(key)
      ? formats.money(value)
      : String(value).replace('.', formats.number(0.5).charAt(1));
  if (Array.isArray(value))
    return value
      .map((one) => valueText('', one, reader))
      .filter((one) => one !== '')
      .join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, one]): [string, string] => [name, valueText(name, one, reader)])
      .filter(([, one]) => one !== '')
      .map(([name, one]) => `${name}: ${one}`)
      .join('\n');
  if (typeof value !== 'string') return '';
  if (key === 'Shop Id') return shopName(value) ?? value;
  return DAY.test(value) && !Number.isNaN(Date.parse(value)) ? formats.date(value) : readableOf(value);
}
