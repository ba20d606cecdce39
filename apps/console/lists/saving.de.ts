/** Of saving a list as a table. */
export const saving = {
  save: 'Als Tabelle speichern',
  saved: (name: string) => `Gespeichert: ${name}`,
};

export type SavingTexts = typeof saving;
