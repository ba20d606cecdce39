import type { SavingTexts } from './saving.de';

export const saving: SavingTexts = {
  save: 'Save as table',
  saving: (count) => `Saving ${count} …`,
  saved: (name) => `Saved: ${name}`,
};
