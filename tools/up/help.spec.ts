import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { describeWithout } from '@offizin/testkit/programs';
import { helpText } from './options';

const NATS_FILES = ['nats-missing.txt', 'nats-release.json'].map((name) => `tools/local-stack/${name}`);
let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'offizin-help-'));
  for (const path of ['package.json', 'package-lock.json', 'tools/bootstrap.mjs', 'tools/up', ...NATS_FILES])
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

it('can be read by Node.js 12, so that a person with an old one reads what Offizin needs', () => {
  const text = readFileSync(join(checkoutRoot, 'tools', 'bootstrap.mjs'), 'utf8');
  const asOf2019 = { languageOptions: { ecmaVersion: 2019, sourceType: 'module' } } as const;
  expect(new Linter().verify(text, asOf2019).filter(({ fatal }) => fatal)).toEqual([]);
  expect(text).not.toMatch(/^import \{[^}]*\brmSync\b/m);
});

/** Hides each nats-server of this machine from a user without a cache. Needs root, as CI is. */
const WITHOUT_BROKER = `for one in $(which -a nats-server); do mount --bind /dev/null "$one" || exit 9; done
chmod -R a+rX "$0" && cd "$0" && exec setpriv --reuid 65534 --clear-groups "$1" tools/bootstrap.mjs up`;

describeWithout(process.getuid?.() === 0 ? undefined : 'it needs root', 'without a broker', () => {
  it('names a missing nats-server before it installs anything, where none may be fetched', () => {
    const command = ['-m', 'sh', '-c', WITHOUT_BROKER, checkout, process.execPath];
    const env = { ...process.env, NATS_SERVER_FETCH: 'off', XDG_CACHE_HOME: join(checkout, 'cache') };
    const { status, stderr } = spawnSync('unshare', command, { encoding: 'utf8', timeout: 20_000, env });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('offizin: There is no nats-server that can be used.'),
    ]);
    expect(stderr).toContain('apt-get install nats-server');
    expect(existsSync(join(checkout, 'node_modules'))).toBe(false);
  });
});

it('states that it was cancelled while it installs, and exits as interrupted', async () => {
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
