import { createHash, randomUUID } from 'node:crypto';
import { actorOf } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import {
  IDEMPOTENCY_KEY_HEADER,
  REPLAYED_HEADER,
  shownOnceFields,
  takesIdempotencyKey,
} from '@offizin/contracts/calls/idempotency';
import type { KeyRun, Operation } from '@offizin/contracts/calls/operation';
import { fillPath } from '@offizin/contracts/calls/path-template';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { errorFields, log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import type { AroundCall, ReceivedCall, WireAnswer } from '@offizin/operations/serve-operation';
import { MAX_JSON_VALUES, parseStrictJson } from '@offizin/operations/strict-json';
import { AnswerEncryption } from './answer-encryption';
import type { Database } from '@offizin/pg/database';
import { IdempotencyKeyStore, type KeyRequest, type KnownKey } from './idempotency-keys';
import { answerErased, contextOf, inProgress, RunUnderKey } from './stored-answer';
import { MicroBatches } from '@offizin/pg/micro-batches';

/**
 * Idempotency-Key: a POST of the organization API takes effect once. A change and its answer are committed together, by
 * the run that still holds the key's lease. Of racing equal requests one runs; the others get its answer or a 409. An
 * answer is repeated only to its actor, and holds null in place of secrets (decision 0019).
 */
const FORGET_PAUSE_MS = 60_000;
const FORGET_BATCH_ROWS = 500;
/** Several times per lease. Most runs end earlier. */
const RENEW_PAUSE_MS = 1_000;
/** The key may be freed between a failed attempt to acquire it and the read of its holder. */
const MAX_ACQUIRE_ATTEMPTS = 3;

export class Idempotency {
  private readonly store: IdempotencyKeyStore;
  private readonly answers: AnswerEncryption;
  private readonly background: readonly PeriodicWork[];
  private readonly running = new Set<RunUnderKey>();
  private readonly keyRequests: MicroBatches<KeyRequest, boolean>;

  constructor(
    private readonly database: Database,
    schema: string,
    /** Shared by all replicas. Answers encrypted under it live as long as their keys. */
    secret: string,
    /** As of IdempotencyKeyStore. */
    isErased?: (objectId: string) => string,
  ) {
    this.store = new IdempotencyKeyStore(schema, isErased);
    this.answers = new AnswerEncryption(secret);
    this.keyRequests = new MicroBatches({
      run: (requests) => this.store.acquire(database, requests),
      keyOf: ({ run }) => contextOf(run),
    });
    this.background = [
      new PeriodicWork('forget idempotency keys', FORGET_PAUSE_MS, () => this.forgetOld()),
      new PeriodicWork('renew idempotency keys', RENEW_PAUSE_MS, () => this.renew()),
    ];
  }

  start(): void {
    for (const work of this.background) work.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.background.map((work) => work.stop()));
  }

  readonly around: AroundCall = async (op, received, run) => {
    const key = received.headers[IDEMPOTENCY_KEY_HEADER];
    const { orgId } = received.caller;
    if (key === undefined || orgId === '' || !takesIdempotencyKey(op)) return run();
    const mine = new RunUnderKey(
      { orgId, key, leaseToken: randomUUID() },
      this.store,
      this.answers,
      shownOnceFields(op),
    );
    const requestHash = hashOf(op, received);
    const known = await this.acquire(mine, requestHash);
    if (known) return this.answerOfFirst(mine, known, requestHash);
    const answer = await this.runAndSettle(mine, run);
    return mine.isOvertaken ? this.answerOfSuccessor(mine, requestHash) : answer;
  };

  async forgetOld(): Promise<number> {
    let total = 0;
    let forgotten: number;
    do {
      forgotten = await this.store.forget(this.database, FORGET_BATCH_ROWS);
      total += forgotten;
    } while (forgotten === FORGET_BATCH_ROWS);
    return total;
  }

  async renew(): Promise<void> {
    const startedBeforeMs = performance.now() - RENEW_PAUSE_MS;
    const old = [...this.running].filter(({ startedAtMs }) => startedAtMs < startedBeforeMs);
    if (old.length > 0) await this.store.renew(this.database, old);
  }

  private async acquire(mine: KeyRun, requestHash: Buffer): Promise<KnownKey | null> {
    for (let attempt = 0; attempt < MAX_ACQUIRE_ATTEMPTS; attempt++) {
      if (await this.keyRequests.submit({ run: mine, requestHash })) return null;
      const known = await this.store.takeOverOrFind(this.database, { run: mine, requestHash });
      if (known === 'taken-over') return null;
      if (known) return known;
    }
    throw inProgress();
  }

  private answerOfFirst(mine: KeyRun, known: KnownKey, requestHash: Buffer): WireAnswer {
    if (known.isErased) throw answerErased();
    if (!known.requestHash.equals(requestHash)) {
      throw new Refused(
        'idempotency_key_reused',
        'This Idempotency-Key was sent before with another request or by another API key: use a new one.',
      );
    }
    if (!known.answer) throw inProgress();
    const { status, headers, ciphertext } = known.answer;
    const body = this.answers.decrypt(ciphertext, contextOf(mine));
    return { status, headers: { ...headers, [REPLAYED_HEADER]: 'true' }, body };
  }

  private async answerOfSuccessor(mine: KeyRun, requestHash: Buffer): Promise<WireAnswer> {
    const known = await this.store.find(this.database, mine);
    if (!known) throw inProgress();
    return this.answerOfFirst(mine, known, requestHash);
  }

  private async runAndSettle(
    mine: RunUnderKey,
    run: (keyRun: KeyRun) => Promise<WireAnswer>,
  ): Promise<WireAnswer> {
    this.running.add(mine);
    const answer = await run(mine).finally(() => this.running.delete(mine));
    if (mine.isOvertaken) return answer;
    const settled = this.settle(mine, answer);
    // The database may not answer. The caller must not wait for a second timeout.
    if (answer.status >= 500) await Promise.race([settled, briefly()]);
    else await settled;
    return answer;
  }

  private async settle(mine: RunUnderKey, answer: WireAnswer): Promise<void> {
    try {
      if (isFinal(answer.status)) await mine.storeAfterwards(this.database, answer);
      else await mine.free(this.database);
    } catch (error) {
      // The caller still gets its answer; only a repeat has to wait for the lease to expire.
      log.error({ org_id: mine.orgId, ...errorFields(error) }, 'idempotency key not settled');
    }
  }
}

/** Of a request that cannot be run as sent, or whose refusal depends on rights or rate: its key stays free. */
const KEEP_NO_KEY = new Set([400, 401, 403, 413, 415, 429]);

function isFinal(status: number): boolean {
  return status < 500 && !KEEP_NO_KEY.has(status);
}

const FREE_WAIT_MS = 250;

function briefly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, FREE_WAIT_MS));
}

/**
 * Of the content, not the bytes: the order of keys and the spelling of numbers do not matter. The preconditions belong to
 * the request: a 412 must not be replayed to a newer version. JSON delimits the parts unambiguously.
 */
function hashOf(op: Operation, received: ReceivedCall): Buffer {
  const { caller, params, queryString, headers } = received;
  const path = fillPath(op.path, (name) => encodeURIComponent(params[name] ?? ''));
  const preconditions = [headers['if-match'] ?? null, headers['if-none-match'] ?? null];
  return createHash('sha256')
    .update(`${JSON.stringify([actorOf(caller), op.method, path, queryString, preconditions])}\n`)
    .update(contentOf(op, received))
    .digest();
}

function contentOf(op: Operation, { body, opened }: ReceivedCall): string | Uint8Array {
  if (opened) {
    const hashes = [...opened.documents].map(([field, document]) => [
      field,
      document.ok ? document.sha256.toString('hex') : null,
    ]);
    return canonicalJson([opened.plain, hashes]);
  }
  if (body.length === 0) return '{}';
  try {
    return canonicalJson(parseStrictJson(body, op.maxBodyValues ?? MAX_JSON_VALUES));
  } catch {
    // The operation refuses it.
    return body;
  }
}
