import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { hash, verify } from '@node-rs/argon2';
import { invalid, Unreachable } from '@offizin/contracts/calls/errors';
import { WorkThreads } from '@offizin/runtime/work-threads';
import type { PasswordJob, PasswordResult } from './password-thread';

/** Argon2id, the default of the package. One hash takes about 110 ms of a core. */
const PASSWORD_COST = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 };
/** Each takes 64 MiB and a core: orders keep at least half of the cores. */
const MAX_CONCURRENT = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
/** The gateways queue by network (password-turns.ts); only what they let pass at the same time waits here. */
const MAX_WAITING = 60;
/** Later ones would not be answered in time. */
const MAX_WAIT_MS = 3_500;
/** The hash of a random password, for unknown e-mails: they cost the same time. */
const NOBODY =
  '$argon2id$v=19$m=65536,t=3,p=1$fw0QGWltwKARzAHyfZEWXg$tt+hEcPJ+mxsYlrjTl/8wgStt8yd9C7nGZAw3SxRZZw';

/**
 * Threads of low priority, which libuv's pool cannot have. Specs run from the sources, where the compiled file is
 * absent.
 */
const FILE = join(__dirname, 'password-thread.js');
const threads = existsSync(FILE)
  ? new WorkThreads<PasswordJob, PasswordResult>({
      name: 'password',
      file: FILE,
      threads: MAX_CONCURRENT,
      maxWaiting: MAX_WAITING,
      jobTimeoutMs: 10_000,
      idleMs: 30_000,
      heapMb: 32,
    })
  : null;

let running = 0;
const waiting: (() => void)[] = [];

/** Runs work that hashes a password, MAX_CONCURRENT at a time. Throws `Unreachable` when too many wait. */
export async function inPasswordSlot<T>(work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  if (running < MAX_CONCURRENT) running += 1;
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

/** The slot passes to the next caller, so `running` stays. */
function freedSlot(): Promise<void> {
  if (waiting.length >= MAX_WAITING) throw tooBusy();
  return new Promise((resolve) => waiting.push(resolve));
}

function tooBusy(): Unreachable {
  return new Unreachable('service_unavailable', 'Too many people sign in at this moment: try again.');
}

/** Only in a slot. Null for the stored hash: takes the same time and is false. */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  const known = stored ?? NOBODY;
  const result = threads
    ? await threads.run({ kind: 'verify', stored: known, password }, [])
    : await verify(known, password);
  return result === true && stored !== null;
}

export async function hashPassword(password: string): Promise<string> {
  const result = await inPasswordSlot(() =>
    threads
      ? threads.run({ kind: 'hash', password, cost: PASSWORD_COST }, [])
      : hash(password, PASSWORD_COST),
  );
  if (typeof result !== 'string') throw new Error('the thread returned no hash');
  return result;
}

/**
 * A hand-picked list: of the passwords that leaked most often, those of MIN_PASSWORD_LENGTH characters and more, with
 * German ones and keyboard rows. Lower case. Shorter ones are refused by their length.
 */
const COMMON_PASSWORDS: readonly string[] = `
  000000000000 0123456789012 111111111111 112233445566 121212121212 123123123123 123321123321 123456123456
  123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 1234567891011 123456789101112
  123456789abc 1234qwerasdf 123abc456def 123qweasdzxc 147258369147 159753159753 1a2b3c4d5e6f 1q2w3e4r5t6y
  1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw23edc 222222222222 741852963741
  777777777777 888888888888 963852741963 987654321000 987654321098 999999999999 a1b2c3d4e5f6 aaaaaaaaaaaa
  abc123abc123 abcabcabcabc abcd1234abcd abcdefghijkl abcdefghijklm abcdefghijklmnop administrator
  administrator1 apotheke1234 apotheke12345 arschloch123 asdasdasdasd asdf1234asdf asdfasdfasdf asdfghjkl123
  asdfghjkl1234 asdfghjklzxcvbnm bismillah123 changeme1234 changemenow1 charlie12345 computer1234
  dragon123456 fickdichselbst fussball1234 geheim123456 hallohallo12 hallohallohallo hallowelt123
  ichliebedich iloveyou1234 iloveyou12345 iloveyouforever iloveyousomuch internet1234 jesuschrist1
  letmein12345 liverpool123 manchester123 michael12345 microsoft123 mypassword123 nichtwissen1 p@ssw0rd1234
  p@ssword1234 pass1234word passw0rd1234 password0000 password123! password1234 password12345 password123456
  password2023 password2024 password2025 password2026 passwordpassword passwort1234 passwort12345
  passwort123456 passwortpasswort pharmacy1234 princess1234 q1w2e3r4t5y6 qazwsxedc123 qazwsxedcrfv
  qqqqqqqqqqqq qwer1234asdf qwerasdfzxcv qwerqwerqwer qwerty123456 qwerty12345678 qwertyqwerty qwertyuiop12
  qwertyuiop123 qwertyuiop1234 qwertyuiop[] qwertyuiopasdf qwertz123456 qwertzuiop12 qwertzuiop123
  qwertzuiopasdf schalke04123 schatz123456 sommer123456 sonnenschein spongebob123 starwars1234 sunshine1234
  superman1234 test12345678 testtesttest unbelievable user12345678 welcome12345 welcome123456 willkommen12
  willkommen123 willkommen1234 winter123456 xxxxxxxxxxxx zaq12wsxcde3 zxcvbnm12345 zxcvbnmasdfghjkl
`
  .trim()
  .split(/\s+/);

const COMMON = new Set(COMMON_PASSWORDS);

/** Throws `Refused` (invalid_request) for a password that is guessed first, in any spelling of case. */
export function requireUncommon(field: string, password: string): void {
  if (!COMMON.has(password.toLowerCase())) return;
  throw invalid([{ field, message: 'is one of the commonest passwords: choose another' }]);
}
