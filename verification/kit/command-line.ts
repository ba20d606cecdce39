import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { testEnvironment } from './environment';

/** A command of `offizin` that runs. */
export interface RunningCommand {
  process: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Both, as they came. */
  output: () => string;
  /** null when a signal ended it. */
  exitCode: Promise<number | null>;
}

export interface CommandOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the operator's command line; `folder` is its working folder and its data folder. */
export class CommandLine {
  constructor(private readonly folder: string) {}

  start(args: readonly string[], variables: Record<string, string> = {}): RunningCommand {
    const main = join(checkoutRoot, 'dist', 'tools', 'offizin', 'main.js');
    const env = { PATH: process.env['PATH'], ...variables };
    const given = [main, '--data-dir', this.folder, ...args];
    const child = spawn(process.execPath, given, { cwd: this.folder, env });
    const texts = { stdout: '', stderr: '', output: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => {
        texts[name] += chunk.toString();
        texts.output += chunk.toString();
      });
    return {
      process: child,
      stdout: () => texts.stdout,
      stderr: () => texts.stderr,
      output: () => texts.output,
      exitCode: once(child, 'close').then(([code]) => code as number | null),
    };
  }

  async run(args: readonly string[], variables: Record<string, string> = {}): Promise<CommandOutcome> {
    const running = this.start(args, variables);
    const code = await running.exitCode;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  }
}

/** The variables by which the running stack is named as an installation elsewhere, for its operator. */
export function installationVariables(changed: Record<string, string> = {}): Record<string, string> {
  const { databaseUrls, natsUrl, natsUser, natsPassword, callKeys, baseUrl } = testEnvironment();
  return {
    NATS_URL: natsUrl,
    NATS_USER: natsUser,
    NATS_PASSWORD: natsPassword,
    CALL_KEYS: callKeys,
    ORDER_CORE_DATABASE_URL: databaseUrls['order-core'],
    CATALOG_DATABASE_URL: databaseUrls.catalog,
    WEBHOOK_WORKER_DATABASE_URL: databaseUrls['webhook-worker'],
    PUBLIC_BASE_URL: baseUrl,
    ...changed,
  };
}
