import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { Secrets } from '@offizin/local-stack/secrets';
import type { DemoFile } from '../up/demo-file';

/** The files by which the tools find a stack that runs on this machine. */
export interface RunningStack {
  dataDir: string;
  demo: DemoFile;
  secrets: Secrets;
}

/** The folder given, else `.data` in the checkout. */
export function dataFolder(given: string | undefined): string {
  return resolve(given ?? join(checkoutRoot, '.data'));
}

/** Throws one line that says what to do when none runs there: demo.json is there only while a stack runs. */
export function readRunningStack(dataDir: string): RunningStack {
  try {
    return {
      dataDir,
      demo: JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoFile,
      secrets: JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Secrets,
    };
  } catch {
    throw new Error(`No stack runs on the data folder ${dataDir}. Start one with npm start.`);
  }
}

/** A broker's URL (or several, with commas between) taken apart: clients want the login beside it. */
export function natsLoginOf(url: string): { natsUrl: string; natsUser: string; natsPassword: string } {
  const urls = url.split(',').map((one) => new URL(one));
  return {
    natsUrl: urls.map(({ host }) => `nats://${host}`).join(','),
    natsUser: decodeURIComponent(urls[0]?.username ?? ''),
    natsPassword: decodeURIComponent(urls[0]?.password ?? ''),
  };
}
