import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { Refused } from '@offizin/contracts/errors';
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER, takesIdempotencyKey } from '@offizin/contracts/idempotency';
import type { Operation } from '@offizin/contracts/operation';
import { errorFields, log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import type { AroundCall, ReceivedCall, WireAnswer } from '@offizin/runtime/serve-operation';
import type { Database } from './database';
import { IdempotencyKeyStore, type KeptAnswer, type KeyRun, type KnownKey } from './idempotency-keys';

/**
 * Idempotency-Key: a POST of the organization API takes effect once, however often it is sent. Cast: `around` (wraps
 * each call of the service), the store of keys (idempotency-keys.ts), the periodic work that forgets old ones.
 *
 * Guarantees:
 * - of racing equal requests one runs; the others are told so (409) or get its answer again;
 * - a key is claimed and its answer kept in statements of their own: no transaction is open while the request runs;
 * - an answer that may be another one next time (401, 403, 429, 5xx) frees the key;
 * - a run that never ended (the process died) holds its key for 60 s; then the request may run again, and what it
 *   changes twice is up to its operation: the key cannot know how far the first one came;
 * - answers are stored encrypted, because they may hold what is shown once (API keys, webhook secrets).
 */
const FORGET_PAUSE_MS = 60_000;
const FORGET_BATCH_ROWS = 500;
/** The key may be freed between the claim that failed and the look at who holds it. */
const MAX_CLAIMS = 3;

export class Idempotency {
  private readonly store: IdempotencyKeyStore;
  private readonly answers: AnswerBox;
  private readonly forgetting: PeriodicWork;

  constructor(
    private readonly database: Database,
    schema: string,
    /** All replicas share it; what it encrypts lives for 24 hours. */
    secret: string,
  ) {
    this.store = new IdempotencyKeyStore(schema);
    this.answers = new AnswerBox(secret);
    this.forgetting = new PeriodicWork('forget idempotency keys', FORGET_PAUSE_MS, () => this.forgetOld());
  }

  start(): void {
    this.forgetting.start();
  }

  async stop(): Promise<void> {
    await this.forgetting.stop();
  }

  readonly around: AroundCall = async (op, received, run) => {
    const key = received.headers[IDEMPOTENCY_KEY_HEADER];
    const { orgId } = received.caller;
    if (key === undefined || orgId === '' || !takesIdempotencyKey(op)) return run();
    const mine: KeyRun = { orgId, key, leaseToken: randomUUID() };
    const requestHash = hashOf(op, received);
    const known = await this.claim(mine, requestHash);
    return known ? this.answerOfFirst(mine, known, requestHash) : this.runAndKeep(mine, run);
  };

  /** Deletes all keys that are past their time, in small batches; resolves with their number. */
  async forgetOld(): Promise<number> {
    let total = 0;
    let forgotten: number;
    do {
      forgotten = await this.store.forget(this.database, FORGET_BATCH_ROWS);
      total += forgotten;
    } while (forgotten === FORGET_BATCH_ROWS);
    return total;
  }

  /** Null when the key is ours now, else who holds it. */
  private async claim(mine: KeyRun, requestHash: Buffer): Promise<KnownKey | null> {
    for (let attempt = 0; attempt < MAX_CLAIMS; attempt++) {
      if (await this.store.claim(this.database, mine, requestHash)) return null;
      const known = await this.store.find(this.database, mine.orgId, mine.key);
      if (known) return known;
    }
    throw inProgress();
  }

  private answerOfFirst({ orgId, key }: KeyRun, known: KnownKey, requestHash: Buffer): WireAnswer {
    if (!known.requestHash.equals(requestHash)) {
      throw new Refused(
        'idempotency_key_reused',
        'This Idempotency-Key was sent before with another request: use a new one for a new request.',
      );
    }
    if (!known.answer) throw inProgress();
    const { status, headers, ciphertext } = known.answer;
    const body = this.answers.open(ciphertext, `${orgId}:${key}`);
    return { status, headers: { ...headers, [REPLAYED_HEADER]: 'true' }, body };
  }

  private async runAndKeep(mine: KeyRun, run: () => Promise<WireAnswer>): Promise<WireAnswer> {
    const answer = await run();
    const settled = this.settle(mine, answer);
    // What failed because the database does not answer would fail once more here, and the caller has waited already.
    if (answer.status >= 500) await Promise.race([settled, briefly()]);
    else await settled;
    return answer;
  }

  private async settle(mine: KeyRun, answer: WireAnswer): Promise<void> {
    try {
      if (isFinal(answer.status)) await this.store.keep(this.database, mine, this.sealed(mine, answer));
      else await this.store.free(this.database, mine);
    } catch (error) {
      // The caller gets the answer; only somebody who repeats the request has to wait for the lease.
      log.error({ org_id: mine.orgId, ...errorFields(error) }, 'idempotency key not settled');
    }
  }

  private sealed({ orgId, key }: KeyRun, { status, headers, body }: WireAnswer): KeptAnswer {
    return { status, headers, ciphertext: this.answers.seal(Buffer.from(body), `${orgId}:${key}`) };
  }
}

/** A refusal that depends on the caller's rights or pace, and a failure of ours, may go away by itself. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429;
}

/** How long a caller whose request failed waits for its key to be free again. */
const FREE_WAIT_MS = 250;

function briefly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, FREE_WAIT_MS));
}

function inProgress(): Refused {
  const message = 'The first request with this Idempotency-Key is still running: wait, then repeat it.';
  return new Refused('idempotency_in_progress', message, undefined, { 'retry-after': '1' });
}

/** SHA-256 over what makes two requests the same. JSON keeps the parts apart, whatever stands in them. */
function hashOf(op: Operation, { params, queryString, body }: ReceivedCall): Buffer {
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return createHash('sha256')
    .update(`${JSON.stringify([op.method, path, queryString])}\n`)
    .update(body)
    .digest();
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key derived from the installation's secret; `context` binds an answer to its row. */
class AnswerBox {
  /** The first seals, all open. */
  private readonly keys: readonly Buffer[];

  constructor(secret: string) {
    this.keys = secret
      .split(',')
      .map((one) => Buffer.from(hkdfSync('sha256', one, '', 'offizin idempotent answers', 32)));
  }

  seal(plain: Buffer, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0] ?? '', iv).setAAD(Buffer.from(context));
    const content = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), content]);
  }

  /** Throws `Refused` (conflict) when the installation's secret was changed since. */
  open(sealed: Buffer, context: string): Buffer {
    for (const key of this.keys) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        // Sealed under another key.
      }
    }
    throw new Refused(
      'conflict',
      'The first request took effect, but its answer can no longer be shown: read the object instead.',
    );
  }
}
