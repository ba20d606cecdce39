import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { helpText } from './options';

it.each(['--help', '-h'])(
  'answers `npm start -- %s` in a fresh checkout without installing anything',
  (option) => {
    const checkout = mkdtempSync(join(tmpdir(), 'offizin-help-'));
    try {
      for (const path of ['package.json', 'package-lock.json', 'tools/bootstrap.mjs', 'tools/up'])
        cpSync(join(checkoutRoot, path), join(checkout, path), { recursive: true });
      const before = readdirSync(checkout, { recursive: true }).sort();
      const { status, stdout } = spawnSync('npm', ['start', '--silent', '--', option], {
        cwd: checkout,
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect([status, stdout]).toEqual([0, helpText()]);
      expect(readdirSync(checkout, { recursive: true }).sort()).toEqual(before);
    } finally {
      rmSync(checkout, { recursive: true });
    }
  },
);
