import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledFile, describeWithout } from '@offizin/testkit/programs';
import { findNatsProgram } from './nats-program';

const VERSION = '2.14.5';
const SYSTEM = `linux-${arch() === 'x64' ? 'amd64' : arch()}`;
const NAME = `nats-server-v${VERSION}-${SYSTEM}`;
const before = { ...process.env };
let folder: string;
let cache: string;
let said: string[];
let mirror: Server;
/** What the mirror answers; the paths that it was asked for. */
let answer: RequestListener;
let asked: (string | undefined)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offizin-nats-'));
  cache = join(folder, 'cache', 'offizin');
  said = [];
  asked = [];
  mirror = createServer((request, response) => {
    asked.push(request.url);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(mirror, 'listening');
  process.env['XDG_CACHE_HOME'] = join(folder, 'cache');
  process.env['NATS_SERVER_MIRROR'] = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/releases/`;
});
afterEach(() => {
  process.env = { ...before };
  mirror.closeAllConnections();
  mirror.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A program with this answer to `--version`. */
function program(place: string, says: string): string {
  mkdirSync(place, { recursive: true });
  const file = join(place, 'nats-server');
  writeFileSync(file, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(file, 0o755);
  return file;
}

function archive(says = `nats-server: v${VERSION}`): Buffer {
  program(join(folder, NAME), says);
  return execFileSync('tar', ['-czf', '-', '-C', folder, NAME]);
}

function search(archived: Buffer, options: Parameters<typeof findNatsProgram>[0] = {}): Promise<string> {
  const sha256 = { [SYSTEM]: createHash('sha256').update(archived).digest('hex') };
  const release = { least: '2.9.10', version: VERSION, sha256 };
  const onProgress = (line: string): void => void said.push(line);
  return findNatsProgram({ folders: [], aptGet: '/missing', release, onProgress, ...options });
}

it('takes the first program on the path that is new enough, and names what it passes over', async () => {
  const old = program(join(folder, 'old'), 'nats-server: v2.9.9');
  const other = program(join(folder, 'other'), 'hello');
  const good = program(join(folder, 'good'), 'nats-server: v2.10.0');
  const folders = ['old', 'other', 'empty', 'good'].map((name) => join(folder, name));
  expect(await search(archive(), { folders })).toBe(good);
  expect(said).toEqual([
    `${old} is 2.9.9, older than 2.9.10: passed over`,
    `${other} is not a NATS server: passed over`,
  ]);
  expect(asked).toEqual([]);
});

it('fetches the archive once, says from where and to where, and finds it in the cache from then on', async () => {
  const archived = archive();
  answer = (_, response) => response.end(archived);
  const target = join(cache, `nats-server-${VERSION}`);
  expect(await search(archived)).toBe(target);
  const source = `${process.env['NATS_SERVER_MIRROR']}v${VERSION}/${NAME}.tar.gz`;
  expect(said).toEqual([`nats-server is missing: fetching ${source} to ${target}`]);
  process.env['NATS_SERVER_FETCH'] = 'off';
  expect(await search(archived)).toBe(target);
  expect(asked).toEqual([`/releases/v${VERSION}/${NAME}.tar.gz`]);
  expect(readdirSync(cache)).toEqual([`nats-server-${VERSION}`]);
});

it.each<[string, RequestListener, string]>([
  ['another sum', (_, response) => response.end('other bytes'), 'its SHA-256 is '],
  ['404', (_, response) => response.writeHead(404).end(), 'answered 404'],
  [
    'cut off',
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('begin', () => response.destroy());
    },
    'other side closed',
  ],
  ['a mirror that hangs', (_, response) => response.flushHeaders(), 'not finished after 1 s'],
])('refuses %s with a sentence, and keeps nothing', async (_, listener, reason) => {
  answer = listener;
  const found = search(archive(), { fetchLimitMs: 1_000 });
  await expect(found).rejects.toThrow(`${NAME}.tar.gz: ${reason}`);
  await expect(found).rejects.toThrow('a server of your own: set NATS_URL');
  expect(readdirSync(cache)).toEqual([]);
});

it('refuses an archive without a NATS server in it', async () => {
  const archived = archive('nothing');
  answer = (_, response) => response.end(archived);
  await expect(search(archived)).rejects.toThrow('nats-server is not a NATS server');
  expect(readdirSync(cache)).toEqual([]);
});

it('names a cache that cannot be written', async () => {
  writeFileSync(join(folder, 'cache'), 'a file');
  await expect(search(archive())).rejects.toThrow(
    `${cache} cannot be written (ENOTDIR): XDG_CACHE_HOME names another cache.`,
  );
  expect(asked).toEqual([]);
});

it('fetches nothing when told so', async () => {
  process.env['NATS_SERVER_FETCH'] = 'off';
  await expect(search(archive())).rejects.toThrow('NATS_SERVER_FETCH=off: not fetched.');
  expect([asked, existsSync(cache)]).toEqual([[], false]);
});

/** The compiled module, as a user without root, whose processes are started by `before`. */
function asNobody(...before: string[]): { status: number | null; stdout: string; stderr: string } {
  chmodSync(folder, 0o777);
  mirror.close();
  const file = JSON.stringify(compiledFile('tools/local-stack/nats-program.ts'));
  const script = `require(${file}).findNatsProgram({ folders: [], onProgress: (line) => console.error(line) })
    .then((program) => console.log(program), ({ message }) => { console.error(message); process.exitCode = 1; });`;
  const asUser = [
    'setpriv',
    '--reuid',
    '65534',
    '--regid',
    '65534',
    '--clear-groups',
    process.execPath,
    '-e',
  ];
  return spawnSync('env', [...before, ...asUser, script], {
    encoding: 'utf8',
    timeout: 130_000,
    env: process.env,
  });
}

const problem =
  process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') ? undefined : 'it needs root on Debian';
describeWithout(problem, 'a user without root', () => {
  it("unpacks the distribution's package where the archive cannot be had", () => {
    const { status, stdout, stderr } = asNobody();
    expect([status, stdout.trim()]).toEqual([0, join(cache, 'nats-server-packaged')]);
    expect(stderr).toContain("fetching the distribution's package nats-server to ");
    expect(execFileSync(stdout.trim(), ['--version'], { encoding: 'utf8' })).toMatch(/^nats-server: v2\./);
    expect(readdirSync(cache)).toEqual(['nats-server-packaged']);
  }, 140_000);

  it('reads without a network what was tried, and which ways are left', () => {
    const { status, stderr } = asNobody('unshare', '--net');
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('There is no nats-server that can be used:'),
    ]);
    expect(stderr).toContain(`${NAME}.tar.gz: `);
    expect(stderr).toContain("the distribution's package nats-server: ");
    expect(stderr).toContain('brew install nats-server');
    expect(readdirSync(cache)).toEqual([]);
  }, 140_000);
});
