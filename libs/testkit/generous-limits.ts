import type { StackOptions } from '@offizin/local-stack/stack';

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
