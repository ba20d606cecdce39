import { guarded } from '@offizin/contracts/calls/spreadsheet-text';
import type { Language } from '../text/formats';

export type Cell = string | number | null;

/** German Excel reads commas as decimals and needs a mark to recognise the Umlauts. */
const DIALECTS = {
  de: { mark: '\uFEFF', separator: ';', point: ',' },
  en: { mark: '', separator: ',', point: '.' },
} as const;

/** A table as CSV, as the spreadsheet of the person reads it. Times and amounts are plain numbers. */
export function tableCsv(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  language: Language,
): string {
  const { mark, separator, point } = DIALECTS[language];
  const cell = (value: Cell): string => {
    if (value === null) return '';
    if (typeof value === 'number') return String(value).replace('.', point);
    return `"${guarded(value, separator).replaceAll('"', '""')}"`;
  };
  return mark + [names, ...rows].map((cells) => `${cells.map(cell).join(separator)}\r\n`).join('');
}
