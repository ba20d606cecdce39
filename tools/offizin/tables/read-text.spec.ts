import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Encoding, readText } from './read-text';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offizin-text-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

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

it('says in one line what is wrong with a file that cannot be read', async () => {
  const missing = join(folder, 'none.csv');
  await expect(readText(missing)).rejects.toThrow(`The file ${missing} does not exist.`);
  await expect(readText(folder)).rejects.toThrow(`${folder} is not a file.`);
});
