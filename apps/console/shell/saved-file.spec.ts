import { csvTypeFor, fileName } from './saved-file';

it('opens in the spreadsheets of the person', () => {
  expect(csvTypeFor('de')).toContain('dialect=excel-de');
  expect(csvTypeFor('en')).not.toContain('dialect');
});

it('names organization and day, without what a file system refuses', () => {
  expect(fileName('Aufträge', 'Löwen & Bär', '2026-11-24')).toBe('Aufträge Löwen & Bär 2026-11-24.csv');
  expect(fileName('Orders', '../a\\b:c*"d"\n', '2026-11-24')).toBe('Orders ..-a-b-c-d- 2026-11-24.csv');
});
