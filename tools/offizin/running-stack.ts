import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrokerAddress } from '@offizin/bus/connection';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { callKeysOf, type Secrets } from '@offizin/local-stack/secrets';
import type { DemoFile } from '../up/demo-file';
import type { PlatformAccess } from './platform';

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

export function operatorAccess({ demo, secrets }: RunningStack): PlatformAccess {
  return { ...brokerOf(demo), callKeys: callKeysOf('operator', secrets.callKeys) };
}

/** Its broker, with the login of the operator: clients want it beside the URL. */
export function brokerOf({ nats_url, nats_tls_ca_file }: DemoFile): BrokerAddress {
  const urls = nats_url.split(',').map((one) => new URL(one));
  return {
    natsUrl: urls.map(({ protocol, host }) => `${protocol}//${host}`).join(','),
    natsUser: decodeURIComponent(urls[0]?.username ?? ''),
    natsPassword: decodeURIComponent(urls[0]?.password ?? ''),
    natsTlsCaFile: nats_tls_ca_file,
  };
}
