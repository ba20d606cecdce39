import { cents, type CsvCell, type CsvColumn, csvText } from './csv';

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
  ['\t=1', '"\'\t=1"'],
  ['\r=1', '"\'\r=1"'],
  ['=HYPERLINK("https://evil.example","a")', '"\'=HYPERLINK(""https://evil.example"",""a"")"'],
  ["'=1", '"\'=1"'],
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
  expect(csvText(columns, [{ name: '=a;b,c', amount: 12.5, share: 0.25 }], 'excel-de')).toBe(
    '\uFEFF"name";"amount";"share"\r\n"\'=a;b,c";12,50;0,25\r\n',
  );
});
