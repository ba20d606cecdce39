import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foundBelow, foundIn } from './plain-search';

const NEEDLE = { name: 'the name', text: 'Erika?Mustermann>' };

it.each<[string, (text: Buffer) => Buffer | string]>([
  ['as it is', (text) => text],
  ['in hex', (text) => text.toString('hex')],
  ['in UTF-16', (text) => Buffer.from(text.toString(), 'utf16le')],
  ['in base64', (text) => text.toString('base64')],
  ['in base64url', (text) => text.toString('base64url')],
])('a text is found %s, whatever stands around it', (_, encode) => {
  for (const [before, behind] of [
    ['', ''],
    ['a', 'b'],
    ['ab', 'cd'],
    ['abc', 'd'],
  ]) {
    const content = Buffer.from(encode(Buffer.from(`${before}${NEEDLE.text}${behind}`)));
    const padded = Buffer.concat([Buffer.from('{"x":"'), content, Buffer.from('"}')]);
    expect(foundIn('here', padded, [NEEDLE])).not.toEqual([]);
  }
});

it('does not find another text', () => {
  expect(foundIn('here', Buffer.from('Erika Mustermann'), [NEEDLE])).toEqual([]);
});

it('searches the files below a folder and names them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-search-'));
  mkdirSync(join(folder, 'deep'));
  writeFileSync(join(folder, 'deep', 'one'), `x${NEEDLE.text}`);
  writeFileSync(join(folder, 'two'), 'nothing');
  expect(foundBelow(folder, [NEEDLE])).toEqual([`deep/one: the name (as it is) ${NEEDLE.text}`]);
});
