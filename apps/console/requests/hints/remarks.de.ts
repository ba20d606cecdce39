/** What partners call these fields. remarks.en.ts has the same keys, by its type. */
const NAMES: Readonly<Record<string, string>> = {
  allergies: 'Allergien',
  allergy: 'Allergie',
  comment: 'Kommentar',
  comments: 'Kommentar',
  customer_note: 'Notiz der Kundin oder des Kunden',
  intolerances: 'Unverträglichkeiten',
  medication: 'Andere Arzneimittel',
  message: 'Nachricht',
  note: 'Notiz',
  notes: 'Notizen',
  remark: 'Bemerkung',
  remarks: 'Bemerkungen',
};

export const remarks = {
  title: 'Allergien und Bemerkungen',
  names: NAMES,
  ofLine: (line: number, name: string) => `Position ${line}: ${name}`,
};

export type RemarkTexts = typeof remarks;
