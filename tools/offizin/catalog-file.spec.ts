import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sizeOfFile } from './catalog-file';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offizin-catalog-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('says in one line what is wrong with a file that cannot be imported', async () => {
  const missing = join(folder, 'none.csv');
  await expect(sizeOfFile(missing)).rejects.toThrow(`The file ${missing} does not exist.`);
  await expect(sizeOfFile(folder)).rejects.toThrow(`${folder} is not a file.`);
  const file = join(folder, 'catalog.csv');
  writeFileSync(file, 'p1_id');
  expect(await sizeOfFile(file)).toBe(5);
});
