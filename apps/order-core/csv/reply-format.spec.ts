import { Refused } from '@offizin/contracts/errors';
import { csvDialect, replyFormat, csvName } from './reply-format';

it.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['APPLICATION/JSON; charset=utf-8', 'json'],
  ['text/csv', 'csv'],
  ['Text/CSV;header=present', 'csv'],
  ['text/*', 'csv'],
  ['text/csv, application/json', 'json'],
  ['text/csv, application/json;q=0.9', 'csv'],
  ['text/csv;q=0.5, application/json;q=0.4', 'csv'],
  ['text/csv;q=0.1, */*;q=0.01', 'csv'],
  ['text/csv;q=0.1, */*', 'json'],
  ['application/json;q=0, */*', 'csv'],
  ['text/csv;q=0, text/*, application/xml', null],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'json'],
  ['application/xml', null],
  ['text/html, image/*', null],
  ['application/json;q=0', null],
  ['*/*;q=0', null],
  ['*/*;q=0.0, text/csv;q=0.001', 'csv'],
  // Not media ranges: they match nothing and do not affect valid ranges.
  ['csv', null],
  ['*/csv', null],
  ['text/csv;q=2', null],
  ['text/csv;q=high, application/json', 'json'],
  [';;;,,', null],
])('Accept %p is answered with %p', (accept, format) => {
  if (format === null) expect(() => replyFormat(accept)).toThrow(Refused);
  else expect(replyFormat(accept)).toBe(format);
});

it('names the available formats in a refusal', () => {
  expect(() => replyFormat('application/xml')).toThrow(
    expect.objectContaining({
      code: 'not_acceptable',
      message: expect.stringContaining('application/json or text/csv'),
    }),
  );
});

it.each([
  ['text/csv', 'default'],
  ['text/csv; header=present; dialect=excel-de', 'excel-de'],
  ['Text/CSV;Dialect="excel-de";q=0.5, application/json;q=0.1', 'excel-de'],
  ['text/*', 'default'],
  ['text/csv; dialect=excel-fr', null],
])('Accept %p asks for the dialect %p', (accept, dialect) => {
  if (dialect === null) expect(() => csvDialect(accept)).toThrow(Refused);
  else expect(csvDialect(accept)).toBe(dialect);
});

it('names a file by the day in Berlin', () => {
  expect(csvName('orders', Date.parse('2026-11-24T23:30:00Z'))).toBe('orders_2026-11-25.csv');
  expect(csvName('orders', Date.parse('2026-07-01T21:30:00Z'))).toBe('orders_2026-07-01.csv');
});
