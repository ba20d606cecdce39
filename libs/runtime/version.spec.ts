import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from './version';

it('is the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect(VERSION).toBe(version);
});
