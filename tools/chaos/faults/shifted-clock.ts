import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/**
 * Environment for a process whose clock is wrong by so much. Only its own idea of the time moves: a module that is
 * loaded before everything else replaces `Date`, timers go on as they do.
 */
export function clockShiftedBy(shiftMs: number): Record<string, string> {
  const preload = join(checkoutRoot, 'tools', 'chaos', 'faults', 'preload-shifted-clock.cjs');
  return { NODE_OPTIONS: `--require ${preload}`, CHAOS_CLOCK_SHIFT_MS: String(shiftMs) };
}
