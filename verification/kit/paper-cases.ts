import { type Paper, privateForm, statutoryForm } from './papers';

/** Prescriptions beside what was ordered. Unless it is said, Anna Berger orders one pack of Ramipril 5 mg. */
export interface PaperCase {
  /** Each page one paper. */
  papers: Paper[];
  customer?: string;
  born?: string;
  ordered?: [name: string, quantity: number][];
  /** Of a false one without an alarm: words that a piece must show, which differ from the order. */
  shows?: string;
  /** Of a false one: the alarm that must be there. */
  alarm?: string;
  /** Of a right one: the only red alarm that it may have. */
  red?: string;
}

export const RAMIPRIL = 'Ramipril 5 mg Tabletten 100 St N3';
export const drawn = (...parts: string[][]): Paper[] => parts.map((each) => ({ drawn: each }));
export const privately = (
  lines: readonly string[],
  more: Partial<Parameters<typeof privateForm>[0]> = {},
): Paper[] => drawn(privateForm({ lines, ...more }));
export const onPink = (...lines: string[]): Paper[] => drawn(statutoryForm({ lines }));
export const withDrawn = ([paper, ...others]: Paper[], ...more: string[]): Paper[] => [
  { ...paper, drawn: [...(paper?.drawn ?? []), ...more] },
  ...others,
];
export const withNotes = ([paper]: Paper[], ...notes: NonNullable<Paper['notes']>): Paper[] => [
  { ...paper, drawn: paper?.drawn ?? [], notes },
];
export const RIGHT = privately([RAMIPRIL, '1-0-0']);
export const OTHERS = privateForm({
  patient: 'Vogel, Max',
  born: '12.03.1980',
  lines: ['Ibuprofen 600 mg 20 St'],
});
