import { ISSUED, listed, type Paper, PRESCRIBER, privateForm, statutoryForm, words } from './papers';

/** Prescriptions beside what was ordered. Unless it is said, Anna Berger orders one pack of Ramipril 5 mg. */
export interface PaperCase {
  /** Each page one paper. */
  papers: Paper[];
  customer?: string;
  born?: string;
  ordered?: [name: string, quantity: number][];
  /** Of a false one without an alarm: words that a piece must show, which differ from the order. */
  shows?: string;
  /** Of a false one: the alarm that must be there; `ink` is seen in the pixels only. */
  alarm?: string;
  /** Papers whose piece with the words of `shows` has other pixels there: they lack what is drawn over it. */
  unlike?: Paper[];
  /** Papers whose piece with these words has the same pixels: they say what this one only draws. */
  like?: Paper[];
  /** Of a right one: the only red alarm that it may have. */
  red?: string;
  /** Of a right one: each amber alarm that it has, with the rule that asks for it. */
  amber?: Readonly<Record<string, string>>;
}

export const RAMIPRIL = 'Ramipril 5 mg Tabletten 100 St N3';
export const drawn = (...parts: string[][]): Paper[] => parts.map((each) => ({ drawn: each }));
export const privately = (
  lines: readonly string[],
  more: Partial<Parameters<typeof privateForm>[0]> = {},
): Paper[] => drawn(privateForm({ lines, ...more }));
export const onPink = (...lines: string[]): Paper[] => drawn(statutoryForm({ lines }));
/** A printout that names Anna Berger and these medicines. */
export const ePrescription = (...medicines: string[]): Paper[] =>
  drawn(
    listed(40, 60, [
      'Ausdruck zur Einlösung Ihres E-Rezeptes',
      'für',
      'Anna Berger',
      'geboren am 14.03.1984',
      'ausgestellt von',
      'Dr. Sabine Weber',
      'ausgestellt am',
      ISSUED,
      ...medicines,
    ]),
  );
/** A page whose patient is written in these lines. */
export const ofPatient = (patient: readonly string[], font?: 'lying'): Paper[] =>
  drawn([
    words(60, 84, 'Name, Vorname des Patienten', { size: 7 }),
    ...listed(60, 98, patient, { font }),
    words(60, 200, 'Rp.'),
    words(60, 218, RAMIPRIL),
    ...listed(60, 300, PRESCRIBER),
  ]);
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
