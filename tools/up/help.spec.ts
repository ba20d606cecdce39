import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { helpText } from './options';

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'offizin-help-'));
  for (const path of ['package.json', 'package-lock.json', 'tools/bootstrap.mjs', 'tools/up'])
    cpSync(join(checkoutRoot, path), join(checkout, path), { recursive: true });
});

it.each(['--help', '-h'])(
  'answers `npm start -- %s` in a fresh checkout without installing anything',
  (option) => {
    const before = readdirSync(checkout, { recursive: true }).sort();
    const { status, stdout } = spawnSync('npm', ['start', '--silent', '--', option], {
      cwd: checkout,
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect([status, stdout]).toEqual([0, helpText()]);
    expect(readdirSync(checkout, { recursive: true }).sort()).toEqual(before);
  },
);

it('says that it was cancelled while it installs, and exits as interrupted', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const registry = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const env = { ...process.env, npm_config_registry: registry, npm_config_cache: join(checkout, 'cache') };
  const started = spawn(process.execPath, ['tools/bootstrap.mjs', 'up'], { cwd: checkout, env });
  let said = '';
  const heard = new Promise<void>((resolve) => {
    started.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('(npm ci)')) resolve();
    });
  });
  const ended = once(started, 'close');
  await heard;
  started.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(said).toMatch(/^offizin: The start was cancelled\.$/m);
  silent.close();
}, 30_000);
