import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guarded } from '@offizin/contracts/calls/spreadsheet-text';
import { CatalogLine } from '@offizin/contracts/products/catalog-import';
import { checkTable, type Encoding, readText } from './table-file';

const RULES = { dto: CatalogLine, keyColumn: 'p1_id' } as const;
const csv = (...lines: string[]) => checkTable('catalog.CSV', lines.join('\n'), RULES);
const valuesOf = ({ accepted }: ReturnType<typeof csv>) => accepted.map(({ value }) => ({ ...value }));

it.each([
  ['commas', 'p1_id,name,price,available', 'P-1,"Tee, lose",6.90,true'],
  ['semicolons and decimal commas', 'p1_id;name;price;available', 'P-1;"Tee, lose";6,90;ja'],
  ['tabs', 'p1_id\tname\tprice\tavailable', 'P-1\tTee, lose\t6.9\tTRUE'],
])('reads a table with %s', (_, ...lines) => {
  const checked = csv(...lines);
  expect(checked.refused).toEqual([]);
  expect(valuesOf(checked)).toEqual([{ p1_id: 'P-1', name: 'Tee, lose', price: 6.9, available: true }]);
});

it('reads amounts with German thousands, and no amount that could mean two things', () => {
  const { accepted, refused } = csv('p1_id;name;price', 'A;A;1.234,50', 'B;B;1.234', 'C;C;1,234', 'D;D;viel');
  expect(accepted.map(({ value }) => value.price)).toEqual([1234.5]);
  expect(refused.map(({ key }) => key)).toEqual(['B', 'C', 'D']);
});

it('reads codes with blanks between them, and a PZN whose leading zero a spreadsheet has taken', () => {
  const { accepted, refused } = csv(
    'p1_id,name,price,pzn,codes',
    'A,A,1,3752864,4006381333931  73513537',
    'B,B,1,,',
    'C,C,1,03752865,4.00638E+12',
  );
  expect(accepted.map(({ value }) => [value.pzn, value.codes])).toEqual([
    ['03752864', ['04006381333931', '00000073513537']],
    [undefined, undefined],
  ]);
  expect(refused).toMatchObject([{ key: 'C', reason: expect.stringMatching(/pzn: .*codes: /) }]);
});

const RISKY = [
  '=Tee',
  "'=Tee",
  "''-Tee",
  ' =Tee',
  '\u00a0+Tee',
  '\ufeff@Tee',
  '＝Tee',
  "' -Tee",
  '"=Tee"',
  '\n=Tee',
  '\t\t=Tee',
  '\r\n-Tee',
  "\r'\n-Tee",
  'a;=1',
  "a;'=1,-2",
  'a,=1\t@b',
  "a\n'=1",
  "'a",
  "O'Neill - Co",
];

it.each([',', ';', '\t'] as const)(
  'reads each text as it was before an export, separated by %j',
  (separator) => {
    const quoted = (name: string) => `"${guarded(name, separator).replaceAll('"', '""')}"`;
    const rows = RISKY.map((name, place) => [`P-${place}`, quoted(name), '1'].join(separator));
    const checked = csv(['p1_id', 'name', 'price'].join(separator), ...rows);
    expect(valuesOf(checked).map(({ name }) => name)).toEqual(RISKY);
  },
);

it('reads a table of tabs by the name .tsv, too', () => {
  const { accepted } = checkTable('catalog.tsv', 'p1_id\tname\tprice\nP-1\tTee\t1\n', RULES);
  expect(accepted.map(({ value }) => value.name)).toEqual(['Tee']);
});

it('leaves out empty fields and empty lines, and keeps the numbers of lines', () => {
  const checked = csv('p1_id,name,price,thc', '', 'P-1,Tee,1,', '', 'P-2,Tee,x,');
  expect(valuesOf(checked)).toEqual([{ p1_id: 'P-1', name: 'Tee', price: 1 }]);
  expect(checked.refused).toMatchObject([{ line: 5, key: 'P-2', reason: expect.stringContaining('price') }]);
});

it('refuses a line of too few fields, a second one of an id, and letters that were lost before', () => {
  const { accepted, refused } = csv(
    'p1_id,name,price',
    'P-1,Tee,1',
    'P-2,Tee',
    'P-1,Kaffee,2',
    'P-3,Lavendelbl\ufffdten,3',
  );
  expect(accepted.map(({ line }) => line)).toEqual([2]);
  expect(refused).toEqual([
    { line: 3, key: 'P-2', reason: 'has 2 fields, the header has 3' },
    { line: 4, key: 'P-1', reason: 'p1_id is that of line 2' },
    { line: 5, key: 'P-3', reason: expect.stringContaining('letters were lost before') },
  ]);
});

it.each([
  [
    'a misspelt column',
    'p1_id,name,prise',
    /column prise is unknown, column price is missing\. Columns: p1_id/,
  ],
  ['a column twice', 'p1_id,name,price,name', /column name occurs twice/],
  ['no header', 'P-1,Tee,1', /column P-1 is unknown/],
  ['nothing', '', /column p1_id is missing/],
])('refuses a file with %s as a whole', (_, header, problem) => {
  expect(() => csv(header, 'P-1,Tee,1')).toThrow(problem);
});

it('refuses a file without a product, and one with an open quote', () => {
  expect(() => csv('p1_id,name,price')).toThrow('The file has no lines.');
  expect(() => csv('p1_id,name,price', 'P-1,"Tee,1')).toThrow(/quote/i);
});

it('reads JSON Lines, and states which are none', () => {
  const { accepted, refused } = checkTable(
    'catalog.jsonl',
    '{"p1_id":"P-1","name":"Tee","price":1}\n\n{"p1_id":\n[1]\n',
    RULES,
  );
  expect(accepted).toEqual([{ line: 1, value: { p1_id: 'P-1', name: 'Tee', price: 1 } }]);
  expect(refused).toMatchObject([
    { line: 3, key: null, reason: 'is not JSON' },
    { line: 4, key: null },
  ]);
});

const folder = mkdtempSync(join(tmpdir(), 'offizin-text-'));

const TEXT = 'p1_id;name\nP-1;Lavendelblüten\n';
const MARK = '\ufeff';

function fileOf(bytes: Buffer): string {
  const file = join(folder, 'catalog.csv');
  writeFileSync(file, bytes);
  return file;
}

it.each<[string, Buffer, Encoding]>([
  ['UTF-8', Buffer.from(TEXT), 'utf-8'],
  ['UTF-8 with its mark', Buffer.from(MARK + TEXT), 'utf-8'],
  ['UTF-16 as Excel writes it', Buffer.from(MARK + TEXT, 'utf16le'), 'utf-16le'],
  ['UTF-16 without a mark', Buffer.from(TEXT, 'utf16le'), 'utf-16le'],
  ['UTF-16 of the other order', Buffer.from(MARK + TEXT, 'utf16le').swap16(), 'utf-16be'],
  ['UTF-16 of the other order without a mark', Buffer.from(TEXT, 'utf16le').swap16(), 'utf-16be'],
  ['Windows-1252', Buffer.from(TEXT, 'latin1'), 'windows-1252'],
])('finds %s', async (_, bytes, encoding) => {
  expect(await readText(fileOf(bytes))).toEqual({ text: TEXT, encoding });
});

it('reads the letters that only Windows-1252 has, where it is given', async () => {
  const { text } = await readText(fileOf(Buffer.from([0x80, 0x84, 0x93])), 'windows-1252');
  expect(text).toBe('€„“');
});

it.each<[string, Buffer, Encoding | undefined]>([
  ['a byte that Windows-1252 does not have', Buffer.from([0x41, 0xff, 0x81]), undefined],
  ['another encoding than the given one', Buffer.from(TEXT, 'latin1'), 'utf-8'],
  ['a zero byte', Buffer.from(`${TEXT}\0`), undefined],
  ['half a character of UTF-16', Buffer.from(`${MARK}a\ud83d`, 'utf16le'), undefined],
])('refuses %s instead of guessing', async (_, bytes, given) => {
  await expect(readText(fileOf(bytes), given)).rejects.toThrow(
    / is not \S+: name its encoding by --encoding/,
  );
});

it('states in one line what is wrong with a file that cannot be read', async () => {
  const missing = join(folder, 'none.csv');
  await expect(readText(missing)).rejects.toThrow(`The file ${missing} does not exist.`);
  await expect(readText(folder)).rejects.toThrow(`${folder} is not a file.`);
});
