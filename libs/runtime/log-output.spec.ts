import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledFile } from '@offizin/testkit/programs';
import { eventually } from '@offizin/testkit/eventually';
import { redacted } from './log';

/** Processes whose log cannot be written. */
const folder = mkdtempSync(join(tmpdir(), 'offizin-log-'));
const opened: number[] = [];
afterAll(() => {
  for (const descriptor of opened) closeSync(descriptor);
});

const REQUIRE = `const { log } = require(${JSON.stringify(compiledFile('libs/runtime/log.ts'))});
const { droppedLogLines } = require(${JSON.stringify(compiledFile('libs/runtime/metrics.ts'))});`;
/** Two megabytes: more than the limit of waiting lines. */
const LOG_MUCH = `for (let place = 0; place < 20_000; place++) log.info('line ' + place);`;

function descriptor(path: string, flags: number): number {
  const fd = openSync(path, flags);
  opened.push(fd);
  return fd;
}

function started(script: string, stdout: number): ChildProcess {
  const env = { ...process.env, LOG_LEVEL: 'info' };
  return spawn(process.execPath, ['-e', `${REQUIRE} ${script}`], { env, stdio: ['ignore', stdout, 'pipe'] });
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

describe('a log that cannot be written', () => {
  it.each([
    ['leaves immediately', 'process.exit(3);', 3],
    ['waits for its lines first', 'log.flush(() => process.exit(4));', 4],
    ['goes on', 'setTimeout(() => process.exit(5), 800);', 5],
    ['logs its last words', `log.fatal('last'); process.exit(6);`, 6],
  ])('does not change how a process ends that %s', async (_, end, code) => {
    const full = descriptor('/dev/full', constants.O_WRONLY);
    expect(await exitCode(started(`${LOG_MUCH} ${end}`, full))).toBe(code);
  });

  it('drops lines and counts them', async () => {
    const full = descriptor('/dev/full', constants.O_WRONLY);
    const tell = `setTimeout(() => droppedLogLines.get().then(({ values }) => {
      process.stderr.write(String(values[0].value), () => process.exit(0)); }), 500);`;
    const child = started(`${LOG_MUCH} log.flush(); ${tell}`, full);
    let output = '';
    child.stderr?.on('data', (bytes: Buffer) => (output += bytes.toString()));
    expect(await exitCode(child)).toBe(0);
    expect(Number(output)).toBeGreaterThan(1_000);
    expect(Number(output)).toBeLessThan(20_000);
  });

  it('resumes when its reader is back, and states how many lines were dropped', async () => {
    const path = join(folder, 'fifo');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    const reader = (): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const first = reader();
    const child = started(
      `log.info('early'); setTimeout(() => { ${LOG_MUCH} setInterval(() => log.info('late'), 100); }, 700);`,
      descriptor(path, constants.O_WRONLY),
    );
    await eventually('the first line', () => textFrom(first).includes('"early"'));
    closeSync(first);
    // The process makes all its lines in this time, without a reader.
    await eventually('the process to have logged all', () => hasWorkedFor(child, 1_500), 10_000);
    const second = reader();
    let text = '';
    await eventually('later lines', () => (text += textFrom(second)).includes('"late"'), 10_000);
    closeSync(second);
    child.kill('SIGKILL');
    expect(text).toMatch(/"dropped_lines":[1-9]\d+,"msg":"log lines were dropped"/);
  }, 20_000);
});

const startedAt = new WeakMap<ChildProcess, number>();
function hasWorkedFor(child: ChildProcess, ms: number): boolean {
  const from = startedAt.get(child) ?? performance.now();
  startedAt.set(child, from);
  expect(child.exitCode).toBeNull();
  return performance.now() - from > ms;
}

function textFrom(fd: number): string {
  const buffer = Buffer.alloc(64 * 1024);
  try {
    return buffer.subarray(0, readSync(fd, buffer)).toString();
  } catch {
    return '';
  }
}

function linesOf(script: string): { status: number | null; lines: string[] } {
  const requireLog = `const { log } = require(${JSON.stringify(compiledFile('libs/runtime/log.ts'))});`;
  const { status, stdout } = spawnSync(process.execPath, ['-e', `${requireLog} ${script}`], {
    encoding: 'utf8',
    env: { ...process.env, LOG_LEVEL: 'info' },
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { status, lines: lines.map((line) => (JSON.parse(line) as { msg: string }).msg) };
}

const COUNT = 5_000;
const expected = Array.from({ length: COUNT }, (_, place) => `line ${place}`);
const logAll = `for (let place = 0; place < ${COUNT}; place++) log.info('line ' + place);`;

describe('log lines are all written, in order', () => {
  it.each([
    ['by a process that comes to its end', logAll, 0],
    ['by one that leaves immediately', `${logAll} process.exit(3);`, 3],
    ['by one that waits for them first', `${logAll} log.flush(() => process.exit(4));`, 4],
    ['by one that ends with an exception', `${logAll} throw new Error('spec');`, 1],
  ])('%s', (_, script, status) => {
    expect(linesOf(script)).toEqual({ status, lines: expected });
  });

  it('soon, also when there are few', () => {
    const { lines } = linesOf(
      `log.info('early'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1_000);`,
    );
    expect(lines).toEqual(['early']);
  });

  it('a fatal one immediately', () => {
    expect(linesOf(`log.fatal('last'); process.kill(process.pid, 'SIGKILL');`).lines).toEqual(['last']);
  });
});

const LINE = {
  method: 'GET',
  status: 200,
  org_id: undefined,
  error: { name: 'Error', message: 'm' },
  list: [1],
};

it('returns the same object when nothing needs redaction', () => {
  expect(redacted(LINE)).toBe(LINE);
});

it('redacts possible secrets at the top and one level below, without changing the input', () => {
  const headers = { authorization: 'Bearer a', 'x-api-key': 'b', cookie: 'c', accept: '*/*' };
  const given = { ...LINE, apikey: 'd', headers };
  expect(redacted(given)).toEqual({
    ...LINE,
    apikey: '[Redacted]',
    headers: {
      authorization: '[Redacted]',
      'x-api-key': '[Redacted]',
      cookie: '[Redacted]',
      accept: '*/*',
    },
  });
  expect(given).toEqual({ ...LINE, apikey: 'd', headers });
  expect(headers.authorization).toBe('Bearer a');
});
