import { csvTypeFor, exportQuery, fileName } from './order-file';

it('takes the filters and the order of the list', () => {
  expect(exportQuery({ status: 'shipped', q: 'mü', sort: 'oldest' })).toEqual({
    ...{ status: 'shipped', q: 'mü', sort: 'created_at' },
  });
  expect(exportQuery({ shop_id: 's', payment_status: 'paid' })).toEqual({
    ...{ shop_id: 's', payment_status: 'paid', sort: '-created_at' },
  });
});

it('opens in the spreadsheets of the person', () => {
  expect(csvTypeFor('de')).toContain('dialect=excel-de');
  expect(csvTypeFor('en')).not.toContain('dialect');
});

it('names organization and day, without what a file system refuses', () => {
  expect(fileName('Aufträge', 'Löwen & Bär', '2026-11-24')).toBe('Aufträge Löwen & Bär 2026-11-24.csv');
  expect(fileName('Orders', '../a\\b:c*"d"\n', '2026-11-24')).toBe('Orders ..-a-b-c-d- 2026-11-24.csv');
});
