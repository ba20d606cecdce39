import { hash, verify } from '@node-rs/argon2';
import { Unreachable } from '@offizin/contracts/errors';

/** Argon2id, the default of the package. One hash takes about 110 ms of a core. */
export const PASSWORD_COST = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 };
/** Each takes 64 MiB and a core. */
export const MAX_AT_ONCE = 4;
const MAX_WAITING = 60;
/** Later ones would not be answered in time. */
const MAX_WAIT_MS = 3_500;
/** The hash of a random password, for e-mails that nobody has: they cost the same time. */
const NOBODY =
  '$argon2id$v=19$m=65536,t=3,p=1$fw0QGWltwKARzAHyfZEWXg$tt+hEcPJ+mxsYlrjTl/8wgStt8yd9C7nGZAw3SxRZZw';

let running = 0;
const waiting: (() => void)[] = [];

/** Runs work that hashes a password, at most MAX_AT_ONCE at once. Throws `Unreachable` when too many wait. */
export async function inPasswordSlot<T>(work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  if (running < MAX_AT_ONCE) running += 1;
  else await freedSlot();
  try {
    if (performance.now() - startedAtMs > MAX_WAIT_MS) throw tooBusy();
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** The slot is handed on, so `running` stays. */
function freedSlot(): Promise<void> {
  if (waiting.length >= MAX_WAITING) throw tooBusy();
  return new Promise((resolve) => waiting.push(resolve));
}

function tooBusy(): Unreachable {
  return new Unreachable('service_unavailable', 'Too many people sign in at this moment: try again.');
}

/** Only in a slot. Null for the stored hash: takes the same time and is false. */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  const matches = await verify(stored ?? NOBODY, password);
  return matches && stored !== null;
}

export async function hashPassword(password: string): Promise<string> {
  return inPasswordSlot(() => hash(password, PASSWORD_COST));
}
