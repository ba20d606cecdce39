import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { devNull } from 'node:os';
import { removeRunRecord, type StopStep, writeRunRecord } from './run-record';

/**
 * One child process of a local stack: PostgreSQL, NATS or an app.
 *
 * Guarantees: `stop()` resolves when the process has ended. A process does not outlive its parent where the system
 * supports that (Linux with setpriv); elsewhere the next start on the data folder stops it. Each child has its own
 * session, so Ctrl-C reaches only the parent, which stops the children in order.
 */
interface ProcessDescription {
  name: string;
  dataDir: string;
  command: { file: string; args: string[]; env: NodeJS.ProcessEnv; cwd: string; uid?: number; gid?: number };
  /** Part of the command line that is unique to this program and data folder. */
  signature: string;
  stopSteps: StopStep[];
  /** Sent by the kernel when the parent dies without having stopped it. */
  parentDeathSignal: NodeJS.Signals;
  /** Undefined if the process is ready, else the reason. */
  probe: () => Promise<string | undefined>;
  /** Results of `probe` that only a restart ends: four in sequence, and a running stack ends the process. */
  hanging?: { problems: readonly string[]; pollMs: number };
  beforeStart?: () => Promise<void>;
  /** Called each 10 s while `ready` waits. */
  onWait?: (line: string) => void;
  /** Called for every unexpected exit. */
  onExit?: (event: UnexpectedExit) => void;
  /** Called after each start, including restarts; again after a second if it throws, as on a full disk. */
  onStart?: (pid: number) => void;
}

export interface UnexpectedExit {
  name: string;
  how: string;
  willRestart: boolean;
}

const restartDelayMs = 1_000;
const pollMs = 50;
const WAIT_SAID_EVERY_MS = 10_000;
/** Counted, so that a pause of this process ends none. */
const silentProbes = 4;

export class SupervisedProcess {
  readonly name: string;
  readonly logFile: string;
  /** Restart after an unexpected exit, after a second. */
  restart = false;

  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private how = 'was not started';
  private stopping = false;
  private restartTimer: NodeJS.Timeout | undefined;
  private logStartBytes = 0;

  constructor(private readonly description: ProcessDescription) {
    this.name = description.name;
    this.logFile = join(description.dataDir, 'logs', `${description.name}.log`);
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    clearTimeout(this.restartTimer);
    if (!this.child) {
      this.stopping = false;
      await this.description.beforeStart?.();
      if (!this.child && !this.stopping) this.spawn();
    }
    this.announce();
  }

  /** Throws on a full disk, and is tried again like a failed restart; the process runs, and is watched, all the same. */
  private announce(): void {
    if (this.pid === undefined) return;
    const { dataDir, name, signature, stopSteps } = this.description;
    writeRunRecord(dataDir, { name, pid: this.pid, signature, stopSteps });
    this.description.onStart?.(this.pid);
  }

  /** Waits until the process is ready. Throws, with the end of its log, if it exits or takes too long. */
  async ready(limitMs = 30_000, signal?: AbortSignal): Promise<void> {
    const deadline = Date.now() + limitMs;
    for (let saidAt = Date.now(); ;) {
      signal?.throwIfAborted();
      if (!this.child && !this.restart) throw new Error(this.report(this.how));
      const problem = this.child ? await this.description.probe() : this.how;
      if (problem === undefined && this.child) return;
      if (Date.now() > deadline) {
        throw new Error(this.report(`was not ready within ${limitMs / 1000} s: ${problem ?? this.how}`));
      }
      if (Date.now() - saidAt >= WAIT_SAID_EVERY_MS) {
        this.description.onWait?.(`waiting for ${this.name}: ${problem ?? this.how}`);
        saidAt = Date.now();
      }
      await delay(pollMs);
    }
  }

  /** Resolves when the process has ended; does nothing if it is not running. */
  async stop(): Promise<void> {
    for (const step of [...this.description.stopSteps, { signal: 'SIGKILL' as const, waitMs: 10_000 }]) {
      this.end(step.signal);
      if (!this.child) return;
      await this.exited(step.waitMs);
    }
    if (this.child) throw new Error(`${this.name} (pid ${this.pid}) does not end.`);
  }

  /** Only sends the signal: the exit counts as unexpected, so a restart follows. */
  kill(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Only sends the signal: the exit counts as expected, without restart or report. */
  end(signal: NodeJS.Signals): void {
    this.stopping = true;
    clearTimeout(this.restartTimer);
    this.child?.kill(signal);
  }

  /** True if the process has ended within `limitMs`. */
  async exited(limitMs: number): Promise<boolean> {
    const timer = new AbortController();
    await Promise.race([
      this.ended,
      delay(limitMs, undefined, { signal: timer.signal }).catch(() => undefined),
    ]);
    timer.abort();
    return this.child === undefined;
  }

  private spawn(): void {
    const { command, parentDeathSignal } = this.description;
    const [file, args] = dyingWithParent(parentDeathSignal, command.file, command.args);
    const log = openLog(this.logFile);
    this.logStartBytes = log.startBytes;
    const { env, cwd, uid, gid } = command;
    const stdio: ['ignore', number, number] = ['ignore', log.descriptor, log.descriptor];
    const child = spawn(file, args, { env, cwd, uid, gid, stdio, detached: true });
    closeSync(log.descriptor);
    this.child = child;
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        if (this.child === child) this.handleEnd(how);
        resolve();
      };
      child.once(
        'error',
        (error) => child.pid === undefined && end(`could not be started: ${error.message}`),
      );
      child.once('exit', (code, signal) =>
        end(signal ? `was ended by ${signal}` : `ended with code ${code}`),
      );
    });
    const { hanging } = this.description;
    if (hanging && child.pid !== undefined) void this.endWhenHanging(child, hanging);
  }

  /** The exit counts as unexpected, so a restart follows. */
  private async endWhenHanging(
    child: ChildProcess,
    { problems, pollMs }: NonNullable<ProcessDescription['hanging']>,
  ): Promise<void> {
    for (let silent = 0; this.child === child && silent < silentProbes;) {
      await delay(pollMs, undefined, { ref: false });
      const isWatched = this.restart && !this.stopping && this.child === child;
      const problem = isWatched ? await this.description.probe() : undefined;
      silent = problem !== undefined && problems.includes(problem) ? silent + 1 : 0;
    }
    if (this.child === child && !this.stopping) child.kill('SIGKILL');
  }

  private handleEnd(how: string): void {
    this.child = undefined;
    this.how = how;
    const willRestart = this.restart && !this.stopping;
    if (willRestart) this.restartLater();
    removeRunRecord(this.description.dataDir, this.name);
    if (!this.stopping) this.description.onExit?.({ name: this.name, how, willRestart });
  }

  private restartLater(): void {
    this.restartTimer = setTimeout(() => {
      this.start().catch((error: unknown) => {
        this.how = `could not be started again: ${String(error)}`;
        if (this.restart && !this.stopping) this.restartLater();
      });
    }, restartDelayMs);
  }

  private report(what: string): string {
    const tail = lastLines(this.logFile, this.logStartBytes);
    return `${this.name} ${what}\n${tail ? tail.replace(/^/gm, '  | ') : '  (its log is empty)'}\n  log: ${this.logFile}`;
  }
}

/** setpriv replaces itself with the program, which keeps the process id. */
function dyingWithParent(signal: NodeJS.Signals, file: string, args: string[]): [string, string[]] {
  if (!canDieWithParent()) return [file, args];
  const option = ['--pdeathsig', signal.replace(/^SIG/, '')];
  return file === 'setpriv' ? [file, [...option, ...args]] : ['setpriv', [...option, '--', file, ...args]];
}

let deathSignalWorks: boolean | undefined;

function canDieWithParent(): boolean {
  deathSignalWorks ??=
    process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status === 0;
  return deathSignalWorks;
}

const rotateAtBytes = 20 * 1024 * 1024;
const tailBytes = 16 * 1024;

/** Logs whose last attempt to open failed. */
const unwritable = new Set<string>();

/**
 * Opens a log for appending; a large one is first renamed to `.1`, so the folder stays bounded. A log must never
 * keep a process from starting (G28): /dev/null replaces a log that cannot be opened, as on a full disk.
 */
export function openLog(
  file: string,
  warn = (text: string): unknown => process.stderr.write(text),
): { descriptor: number; startBytes: number } {
  try {
    const opened = openRotated(file);
    unwritable.delete(file);
    return opened;
  } catch (error) {
    // Warns once: a failing process restarts every second.
    if (!unwritable.has(file)) warn(`No log in ${file}: ${String(error)}\n`);
    unwritable.add(file);
    return { descriptor: openSync(devNull, 'a'), startBytes: sizeOf(file) };
  }
}

function openRotated(file: string): ReturnType<typeof openLog> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (sizeOf(file) > rotateAtBytes) renameSync(file, `${file}.1`);
  return { descriptor: openSync(file, 'a', 0o600), startBytes: sizeOf(file) };
}

/** The last lines written after `startBytes`. */
function lastLines(file: string, startBytes: number, lineLimit = 20): string {
  if (!existsSync(file)) return '';
  const from = Math.max(startBytes, sizeOf(file) - tailBytes);
  const buffer = Buffer.alloc(tailBytes);
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, buffer, 0, tailBytes, from);
    return buffer.subarray(0, length).toString('utf8').trimEnd().split('\n').slice(-lineLimit).join('\n');
  } finally {
    closeSync(descriptor);
  }
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/**
 * Ends this command with exit code 1 after `stop`, at the first signal that asks for it. Later ones change nothing: one
 * Ctrl-C arrives several times, from the terminal, from npm and from the bootstrap.
 */
export function endOnSignal(stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined;
  const onSignal = (): void => {
    stopping ??= stop().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}
