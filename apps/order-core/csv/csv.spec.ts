import { cents, type CsvCell, type CsvColumn, csvDialect, csvName, csvText, replyFormat } from './csv';
import { Refused } from '@offizin/contracts/calls/errors';
import { begun } from './csv-files';

const column: CsvColumn<CsvCell>[] = [['value', (row) => row]];
const cell = (value: CsvCell): string => csvText(column, [value]).slice('"value"\r\n'.length, -'\r\n'.length);

it('has a header row, commas, and CRLF after every row', () => {
  const columns: CsvColumn<{ name: string; pieces: number }>[] = [
    ['name', ({ name }) => name],
    ['pieces', ({ pieces }) => pieces],
  ];
  const rows = [
    { name: 'Salbe', pieces: 2 },
    { name: 'Öl', pieces: 0 },
  ];
  expect(csvText(columns, rows)).toBe('"name","pieces"\r\n"Salbe",2\r\n"Öl",0\r\n');
  expect(csvText(columns, [])).toBe('"name","pieces"\r\n');
});

it.each([
  ['a,b', '"a,b"'],
  ['a "good" one', '"a ""good"" one"'],
  ['two\nlines', '"two\nlines"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['"', '""""'],
  ['a;b', '"a;b"'],
  ['', '""'],
  [null, ''],
  [' Salbe ', '" Salbe "'],
])('quotes %p as %p', (value, expected) => {
  expect(cell(value)).toBe(expected);
});

it.each([
  ['=1+1', '"\'=1+1"'],
  ['+49 30 12345', '"\'+49 30 12345"'],
  ['-2', '"\'-2"'],
  ['@SUM(A1)', '"\'@SUM(A1)"'],
  ['\t=1', '"\'\t\'=1"'],
  ['\r=1', '"\'\r\'=1"'],
  ['\n=1', '"\'\n\'=1"'],
  [' \u00a0=1', '"\' \u00a0=1"'],
  ['\ufeff@A1', '"\'\ufeff@A1"'],
  ['"=1', '"\'""=1"'],
  ['＝1', '"\'＝1"'],
  ['＋1', '"\'＋1"'],
  ['－1', '"\'－1"'],
  ['＠A1', '"\'＠A1"'],
  ['a;=1;b; -2', '"a;\'=1;b;\' -2"'],
  ['a\t=1', '"a\t\'=1"'],
  ['a\r\n=1', '"a\r\n\'=1"'],
  ['a, -1', '"a, -1"'],
  ['=HYPERLINK("https://evil.example","a")', '"\'=HYPERLINK(""https://evil.example"",""a"")"'],
  ["'=1", '"\'\'=1"'],
  ["O'Neill - Co", '"O\'Neill - Co"'],
  ['a=1', '"a=1"'],
  ['1-2', '"1-2"'],
])('neutralises %p as %p', (value, expected) => {
  expect(cell(value)).toBe(expected);
});

it('writes numbers unquoted and amounts with two decimals', () => {
  expect(cell(1_234_567)).toBe('1234567');
  expect(cell(-1)).toBe('-1');
  const amounts: CsvColumn<number | null>[] = [['amount', cents]];
  expect(csvText(amounts, [0, 12.5, 1_234_567_890.1, null])).toBe(
    '"amount"\r\n0.00\r\n12.50\r\n1234567890.10\r\n\r\n',
  );
});

it('begins with a byte order mark, separates by semicolons and uses a decimal comma for German Excel', () => {
  const columns: CsvColumn<{ name: string; amount: number; share: number }>[] = [
    ['name', ({ name }) => name],
    ['amount', ({ amount }) => cents(amount)],
    ['share', ({ share }) => share],
  ];
  expect(csvText(columns, [{ name: '=a;-b,=c', amount: 12.5, share: 0.25 }], 'excel-de')).toBe(
    '\uFEFF"name";"amount";"share"\r\n"\'=a;-b,\'=c";12,50;0,25\r\n',
  );
});

it('has German heads, words and the time of Berlin for a person, and for nobody else', () => {
  const columns: CsvColumn<string>[] = [
    ['status', () => 'pending', { pending: 'Neu' }],
    ['created_at', (at) => at],
  ];
  const accept = 'text/csv; dialect=excel-de';
  expect(csvText(columns, ['2026-07-01T21:30:00.000Z'], csvDialect(accept, 'staff'))).toBe(
    '\uFEFF"Status";"Angelegt am"\r\n"Neu";"01.07.2026, 23:30:00"\r\n',
  );
  expect(csvText(columns, ['2026-07-01T21:30:00.000Z'], csvDialect(accept, 'key'))).toContain(
    '"status";"created_at"\r\n"pending";"2026-07-01T21:30:00.000Z"',
  );
});

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

describe('pieces that have begun', () => {
  async function* pieces(ended: () => void): AsyncGenerator<string, undefined> {
    try {
      yield 'ready';
      yield 'a';
      yield 'b';
    } finally {
      ended();
    }
  }

  it('come whole, without what says that they have begun', async () => {
    const { next } = await begun(pieces(() => undefined));
    expect([await next(), await next(), await next()]).toEqual([
      { value: 'a', done: false },
      { value: 'b', done: false },
      { value: undefined, done: true },
    ]);
  });

  it('release what they hold when nobody reads them', async () => {
    const ended = jest.fn();
    await (await begun(pieces(ended))).return();
    expect(ended).toHaveBeenCalledTimes(1);
  });
});
