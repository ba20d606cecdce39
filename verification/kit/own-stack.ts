import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, type StackOptions, startStack } from '@offizin/local-stack/stack';
import { accessTo, TestPlatform } from './platform';
import { SLOWNESS } from './test-run';

const READY_LIMIT_MS = 60_000;

/** Waits of the services for what a test has lost on purpose; by default they take half a minute each. */
export const SHORT_WAITS: NonNullable<StackOptions['extraEnv']> = {
  'order-core': shortWaits(),
  catalog: shortWaits(),
  'webhook-worker': shortWaits(),
};

function shortWaits(): Record<string, string> {
  return { EVENT_ACK_WAIT_SECONDS: '5', OUTBOX_RECONCILE_SECONDS: '3' };
}

export interface OwnStack {
  stack: Stack;
  platform: TestPlatform;
  /** Ends all processes and deletes their files. */
  stop: () => Promise<void>;
}

/** A separate stack for specs that kill processes: on the shared stack they would affect others. */
export async function startOwnStack(
  extraEnv?: StackOptions['extraEnv'],
  options?: Pick<StackOptions, 'databaseUrl' | 'natsUrl' | 'natsTlsCaFile' | 'cluster' | 'restart'>,
): Promise<OwnStack> {
  const dataDir = mkdtempSync(join(tmpdir(), 'offizin-own-stack-'));
  const stack = await startStack({
    dataDir,
    ports: 'free',
    readyLimitMs: READY_LIMIT_MS * SLOWNESS,
    ...options,
    extraEnv: withGenerousLimits(extraEnv),
  });
  const platform = await TestPlatform.connect(accessTo(stack));
  const stop = async (): Promise<void> => {
    await platform.close();
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { stack, platform, stop };
}

type Environments = NonNullable<StackOptions['extraEnv']>;

/**
 * Tests and load come from one address with few keys and exceed production limits. These limits are high but
 * active; the limits themselves are tested on a separate stack.
 */
const GENEROUS_LIMITS: Environments = {
  gateway: {
    API_RATE_PER_SECOND: '1000000',
    API_RATE_BURST: '1000000',
    TOKENS_PER_KEY_PER_MINUTE: '1000000',
    TOKENS_PER_ADDRESS_PER_MINUTE: '1000000',
    SIGN_INS_PER_ADDRESS_PER_MINUTE: '1000000',
  },
  'connector-edge': { CONNECTOR_RATE_PER_SECOND: '1000000', CONNECTOR_RATE_BURST: '1000000' },
};

/** Adds generous limits where `environments` sets none. */
export function withGenerousLimits(environments: Environments = {}): Environments {
  const merged = { ...environments };
  for (const app of ['gateway', 'connector-edge'] as const)
    merged[app] = { ...GENEROUS_LIMITS[app], ...environments[app] };
  return merged;
}
