/**
 * The planner judges by statistics that are a minute old; a queue is empty in one second and full in the next. So it
 * believes that nothing is pending and that reading all of it costs less than a few hundred probes (measured: a claim
 * of 128 rows in 80 to 900 ms instead of 5). On the connections of this service every join is a loop over index
 * probes, and plans are made once per statement: making one takes longer than a small claim (2 ms).
 */
const SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  // Before version 18 a plan that cannot avoid what is switched off counts as dear enough to be compiled first.
  jit: 'off',
};

/** The same database, with those settings on each connection. Keeps parameters that the URL has. */
export function withQueuePlans(databaseUrl: string): string {
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
  return `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}options=${encodeURIComponent(options.join(' '))}`;
}
