import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { compiledFile } from '@offizin/testkit/programs';
import { openLog, SupervisedProcess } from './supervised-process';
import { waitUntil } from './process-identity';

const NAME = 'spec';
let dataDir: string;
let supervised: SupervisedProcess;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'supervised-'));
  supervised = processThat({ probe: () => Promise.resolve(undefined) });
});

function processThat(
  answers: Pick<ConstructorParameters<typeof SupervisedProcess>[0], 'probe' | 'hanging' | 'onStart'>,
): SupervisedProcess {
  return new SupervisedProcess({
    name: NAME,
    dataDir,
    signature: dataDir,
    stopSteps: [],
    parentDeathSignal: 'SIGKILL',
    command: {
      file: process.execPath,
      args: ['-e', `console.log('begun'); setInterval(() => undefined, 1000)`, dataDir],
      env: process.env,
      cwd: dataDir,
    },
    ...answers,
  });
}

afterEach(async () => {
  await supervised.stop();
  spawnSync('umount', [join(dataDir, 'logs')]);
  rmSync(dataDir, { recursive: true });
});

/** A full disk, on systems that allow the mount. */
function mountFullDisk(): void {
  mkdirSync(join(dataDir, 'logs'));
  const options = ['-t', 'tmpfs', '-o', 'size=4k,nr_inodes=1', 'tmpfs'];
  const { status } = spawnSync('mount', [...options, join(dataDir, 'logs')]);
  if (status !== 0) makeDirectoryOfLog();
}

function makeDirectoryOfLog(): void {
  mkdirSync(join(dataDir, 'logs', `${NAME}.log`), { recursive: true });
}

it.each([
  ['its disk is full', mountFullDisk],
  ['it is a directory', makeDirectoryOfLog],
])('starts without its log when %s', async (_why, spoil) => {
  spoil();
  await supervised.start();
  await supervised.ready();
  expect(supervised.pid).toBeDefined();
});

it.each(['its record', 'what a person reads'])(
  'watches a process that was restarted while a full disk takes no line of %s, and writes it later',
  async (what) => {
    let problem: string | undefined;
    let isFull = false;
    const announced: (number | undefined)[] = [];
    supervised = processThat({
      hanging: { problems: ['hangs'], pollMs: 10 },
      probe: () => Promise.resolve(problem),
      onStart: (pid) => {
        if (isFull) throw new Error('ENOSPC');
        announced.push(pid);
      },
    });
    supervised.restart = true;
    await supervised.start();
    const run = join(dataDir, 'run');
    if (what === 'its record') {
      rmSync(run, { recursive: true });
      symlinkSync('nowhere', run);
    } else isFull = true;
    const pids = [supervised.pid];
    const restarted = (): boolean => supervised.pid !== undefined && !pids.includes(supervised.pid);
    supervised.kill('SIGKILL');
    expect(await waitUntil(restarted, 10_000)).toBe(true);
    pids.push(supervised.pid);
    problem = 'hangs';
    expect(await waitUntil(restarted, 10_000)).toBe(true);
    problem = undefined;
    if (what === 'its record') rmSync(run);
    isFull = false;
    expect(await waitUntil(() => announced.includes(supervised.pid), 10_000)).toBe(true);
    const record = readFileSync(join(run, `${NAME}.json`), 'utf8');
    expect(JSON.parse(record)).toMatchObject({ pid: supervised.pid });
  },
  40_000,
);

it('warns once about a log that cannot be opened', () => {
  makeDirectoryOfLog();
  const warnings: string[] = [];
  for (let starts = 0; starts < 2; starts++) {
    const { descriptor } = openLog(supervised.logFile, (text) => warnings.push(text));
    closeSync(descriptor);
  }
  expect(warnings).toEqual([expect.stringContaining('EISDIR')]);
});

it('resumes its log when there is space', async () => {
  makeDirectoryOfLog();
  await supervised.start();
  await supervised.stop();
  rmSync(supervised.logFile, { recursive: true });
  await supervised.start();
  const isWritten = (): boolean => readFileSync(supervised.logFile, 'utf8') === 'begun\n';
  expect(await waitUntil(isWritten, 5_000)).toBe(true);
});

it('a command that gets the same signal again finishes its stop', async () => {
  const file = JSON.stringify(compiledFile('tools/local-stack/supervised-process.ts'));
  const script = `
    const line = (text) => process.stdout.write(text + '\\n');
    require(${file}).endOnSignal(async () => {
      line('stopping');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      line('stopped');
    });
    setInterval(() => undefined, 1000);
    line('started');`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.endsWith('started\n')) child.kill('SIGINT');
    if (!output.endsWith('stopping\n')) return;
    child.kill('SIGINT');
    child.kill('SIGTERM');
    child.stdin.write('go on\n');
  });
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(output).toBe('started\nstopping\nstopped\n');
});
