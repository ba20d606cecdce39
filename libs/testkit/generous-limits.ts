import type { StackOptions } from '@offizin/local-stack/stack';

type Environments = NonNullable<StackOptions['extraEnv']>;

/**
 * Load and tests come from one address with few keys, and on a quick machine a single caller already comes oftener than
 * the limits of production allow. High, but on: each request is counted. The limits themselves have a stack of their own.
 */
const GENEROUS_LIMITS: Environments = {
  gateway: {
    API_RATE_PER_SECOND: '1000000',
    API_RATE_BURST: '1000000',
    TOKENS_PER_KEY_PER_MINUTE: '1000000',
    TOKENS_PER_ADDRESS_PER_MINUTE: '1000000',
  },
  'connector-edge': { CONNECTOR_RATE_PER_SECOND: '1000000', CONNECTOR_RATE_BURST: '1000000' },
};

/** The environments given, with generous limits wherever they say nothing else. */
export function withGenerousLimits(environments: Environments = {}): Environments {
  const merged = { ...environments };
  for (const app of ['gateway', 'connector-edge'] as const)
    merged[app] = { ...GENEROUS_LIMITS[app], ...environments[app] };
  return merged;
}
