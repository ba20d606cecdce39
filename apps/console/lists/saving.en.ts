import type { SavingTexts } from './saving.de';

export const saving: SavingTexts = {
  save: 'Save as table',
  saved: (name) => `Saved: ${name}`,
};
