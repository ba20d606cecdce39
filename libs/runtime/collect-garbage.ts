import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { type: 'minor' }) => void;

let collect: Collect | null = null;

/**
 * Has V8 collect now; `minor` only what is young, in a millisecond or two. For buffers: their memory lies outside the
 * heap, and V8 looks for dead ones only after some 64 MB of them.
 */
export function collectGarbage(how: 'minor' | 'all'): void {
  collect ??= collector();
  if (how === 'minor') collect({ type: 'minor' });
  else collect();
}

/** V8's own function, which only contexts get that are made while the flag is set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
