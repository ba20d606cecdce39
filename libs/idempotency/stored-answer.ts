import { Refused } from '@offizin/contracts/calls/errors';
import type { Answer, KeyRun } from '@offizin/contracts/calls/operation';
import { toWire, type WireAnswer } from '@offizin/operations/serve-operation';
import type { AnswerEncryption } from './answer-encryption';
import type { Sql } from '@offizin/pg/database';
import type { IdempotencyKeyStore, StoredAnswer } from './idempotency-keys';

/**
 * In the transaction of the change, as its last statement. Throws if another run has taken the key over, so that the
 * transaction rolls back.
 */
export async function storeAnswer<Reply>(
  tx: Sql,
  run: KeyRun | undefined,
  answer: Answer<Reply>,
): Promise<Answer<Reply>> {
  if (run !== undefined) await storeAnswers(tx, [{ run, answer }]);
  return answer;
}

/** For calls that share a transaction. If one has lost its key, none is committed. */
export async function storeAnswers(
  tx: Sql,
  calls: readonly { run: KeyRun; answer: Answer<unknown> }[],
): Promise<void> {
  const answered = calls.map(({ run, answer }) => ({ run: runUnderKey(run), answer: toWire(answer) }));
  const [first] = answered;
  if (!first) return;
  const encrypted = answered.map(({ run, answer }) => ({
    run,
    answer: run.encrypted(answer),
    objectId: run.objectId,
  }));
  const holding = await first.run.store.storeWithChange(tx, encrypted);
  for (const { run } of answered) run.isOvertaken = !holding.has(run.leaseToken);
  if (holding.size < answered.length) throw inProgress();
  for (const { run, answer } of answered) run.storedAnswer = answer;
}

/** For storeAnswers: the answers of the members of a batch that have a key and were not refused. */
export function answersUnderKeys(
  members: readonly { keyRun: KeyRun | undefined }[],
  outcomes: readonly (Answer<unknown> | Refused)[],
): { run: KeyRun; answer: Answer<unknown> }[] {
  return members.flatMap(({ keyRun: run }, index) => {
    const answer = outcomes[index];
    return !run || !answer || answer instanceof Refused ? [] : [{ run, answer }];
  });
}

/**
 * Erasing this object, whose personal data the answer contains, empties the stored answer. An object that is erased as it
 * was read has none.
 */
export function answersAbout(
  run: KeyRun | undefined,
  { id, erased_at: erasedAt }: { id: string; erased_at: Date | null },
): void {
  if (run !== undefined) runUnderKey(run).objectId = erasedAt === null ? id : null;
}

function runUnderKey(run: KeyRun): RunUnderKey {
  if (run instanceof RunUnderKey) return run;
  throw new Error('only Idempotency creates runs under a key');
}

export class RunUnderKey implements KeyRun {
  /** By performance.now(): independent of jumps of the wall clock. */
  readonly startedAtMs = performance.now();
  /** Another run has taken the key over; this one commits nothing. */
  isOvertaken = false;
  storedAnswer: WireAnswer | null = null;
  /** See answersAbout. */
  objectId: string | null = null;

  readonly orgId: string;
  readonly key: string;
  readonly leaseToken: string;

  constructor(
    { orgId, key, leaseToken }: KeyRun,
    readonly store: IdempotencyKeyStore,
    private readonly answers: AnswerEncryption,
    /** Reply fields with secrets that are shown once; stored as null. */
    private readonly shownOnce: readonly string[],
  ) {
    this.orgId = orgId;
    this.key = key;
    this.leaseToken = leaseToken;
  }

  /** For a refusal, or an answer changed after the commit; not if the same was stored with the change. */
  async storeAfterwards(sql: Sql, answer: WireAnswer): Promise<void> {
    if (this.storedAnswer && textOf(this.storedAnswer) === textOf(answer)) return;
    const { objectId } = this;
    await this.store.storeAfterwards(sql, { run: this, answer: this.encrypted(answer), objectId });
  }

  async free(sql: Sql): Promise<void> {
    await this.store.free(sql, this);
  }

  encrypted({ status, headers, body }: WireAnswer): StoredAnswer {
    const stored = status < 300 && this.shownOnce.length > 0 ? withoutSecrets(body, this.shownOnce) : body;
    return { status, headers, ciphertext: this.answers.encrypt(Buffer.from(stored), contextOf(this)) };
  }
}

function withoutSecrets(body: WireAnswer['body'], secretFields: readonly string[]): string {
  const reply = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
  for (const name of secretFields) reply[name] = null;
  return JSON.stringify(reply);
}

export function contextOf({ orgId, key }: Pick<KeyRun, 'orgId' | 'key'>): string {
  return `${orgId}:${key}`;
}

export function inProgress(): Refused {
  const message = 'The first request with this Idempotency-Key is still running: wait, then repeat it.';
  return new Refused('idempotency_in_progress', message, undefined, { 'retry-after': '1' });
}

export function answerErased(): Refused {
  const message =
    'The first request with this Idempotency-Key took effect; its answer showed personal data that was erased since. ' +
    'Read the object instead.';
  return new Refused('conflict', message);
}

function textOf({ status, headers, body }: WireAnswer): string {
  return JSON.stringify([status, headers, Buffer.from(body).toString('base64')]);
}
