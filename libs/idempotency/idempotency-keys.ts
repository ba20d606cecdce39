import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { KeyRun } from '@offizin/contracts/calls/operation';
import { type Sql, statement } from '@offizin/pg/database';

/** Idempotency keys of one service: an edge has no database (decision 0019). */
@Entity('idempotency_keys')
@Index('idempotency_keys_created', ['created_at'])
@Index('idempotency_keys_object', ['object_id'], { where: 'object_id IS NOT NULL' })
export class IdempotencyKeyRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'idempotency_keys_pkey' }) org_id!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' }) key!: string;
  /** SHA-256 over actor, method, path, query and body. */
  @Column('bytea') request_hash!: Buffer;
  @Column('text') status!: 'running' | 'done';
  /** A run whose key was taken over must not commit. */
  @Column('uuid') lease_token!: string;
  /** Renewed while the run's process lives. */
  @Column('timestamptz') lease_until!: Date;
  @Column('integer', { nullable: true }) answer_status!: number | null;
  @Column('jsonb', { nullable: true }) answer_headers!: Record<string, string> | null;
  /** Answers contain personal data. Secrets that are shown once are stored as null. */
  @Column('bytea', { nullable: true }) answer_ciphertext!: Buffer | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  /** Erasing this object empties the answer. */
  @Column('uuid', { nullable: true }) object_id!: string | null;
}

/** See docs/contract.md#idempotency */
const KEY_LIFETIME = `interval '24 hours'`;
/** A key whose run does not renew its lease can be taken over. */
const LEASE = `interval '5 seconds'`;

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  ciphertext: Buffer;
}

export interface KnownKey {
  requestHash: Buffer;
  /** Null while the first request is running. */
  answer: StoredAnswer | null;
  /** Personal data was erased from the answer, and the hash of its request with it. */
  isErased: boolean;
}

type KeyColumns = Pick<
  IdempotencyKeyRow,
  'request_hash' | 'status' | 'answer_status' | 'answer_headers' | 'answer_ciphertext'
>;

export interface KeyRequest {
  run: KeyRun;
  requestHash: Buffer;
}

export interface AnsweredRun {
  run: KeyRun;
  answer: StoredAnswer;
  /** See IdempotencyKeyRow.object_id. */
  objectId: string | null;
}

export class IdempotencyKeyStore {
  private readonly statements: ReturnType<typeof statementsOf>;

  /** `isErased` is SQL: whether the object in the parameter is erased. It must wait for an erasure under way. */
  constructor(schema: string, isErased: (objectId: string) => string = () => 'false') {
    this.statements = statementsOf(`${schema}.idempotency_keys`, isErased);
  }

  /**
   * For each request, in order: true if it acquired the key. Exactly one of several racing calls does. `requests` must
   * not repeat a key.
   */
  async acquire(sql: Sql, requests: readonly KeyRequest[]): Promise<boolean[]> {
    const rows = await sql.rows(
      this.statements.acquire,
      requests.map(({ run }) => run.orgId),
      requests.map(({ run }) => run.key),
      requests.map(({ requestHash }) => requestHash),
      requests.map(({ run }) => run.leaseToken),
    );
    const acquired = new Set(rows.map(({ lease_token }) => lease_token));
    return requests.map(({ run }) => acquired.has(run.leaseToken));
  }

  /**
   * Takes over a key that has expired, or whose equal request lost its lease. Otherwise returns it as stored; null if
   * it was freed meanwhile.
   */
  async takeOverOrFind(sql: Sql, { run, requestHash }: KeyRequest): Promise<KnownKey | 'taken-over' | null> {
    const { orgId, key, leaseToken } = run;
    const [row] = await sql.rows(this.statements.takeOver, orgId, key, requestHash, leaseToken);
    return row?.is_taken_over ? 'taken-over' : knownKey(row);
  }

  async find(sql: Sql, { orgId, key }: KeyRun): Promise<KnownKey | null> {
    const [row] = await sql.rows(this.statements.find, orgId, key);
    return knownKey(row);
  }

  async renew(sql: Sql, runs: readonly KeyRun[]): Promise<void> {
    const [orgIds, keys] = [runs.map(({ orgId }) => orgId), runs.map(({ key }) => key)];
    const tokens = runs.map(({ leaseToken }) => leaseToken);
    await sql.rows(this.statements.renew, orgIds, keys, tokens);
  }

  /**
   * Must run in the transaction of the changes. Resolves with the lease tokens of the runs that still hold their keys.
   */
  async storeWithChange(tx: Sql, answered: readonly AnsweredRun[]): Promise<Set<string>> {
    const stored = await tx.rows(this.statements.storeWithChange, {
      orgIds: answered.map(({ run }) => run.orgId),
      keys: answered.map(({ run }) => run.key),
      leaseTokens: answered.map(({ run }) => run.leaseToken),
      statuses: answered.map(({ answer }) => answer.status),
      headers: answered.map(({ answer }) => JSON.stringify(answer.headers)),
      ciphertexts: answered.map(({ answer }) => answer.ciphertext),
      objectIds: answered.map(({ objectId }) => objectId),
    });
    return new Set(stored.map(({ lease_token }) => lease_token));
  }

  /** Does nothing if the key was taken over. An answer about an object that was erased since it was read is left out. */
  async storeAfterwards(sql: Sql, { run, answer, objectId }: AnsweredRun): Promise<void> {
    const { orgId, key, leaseToken } = run;
    await sql.rows(this.statements.storeAfterwards, { ...answer, orgId, key, leaseToken, objectId });
  }

  /** The keys stay used; a run that is about to store its answer stores nothing. */
  async eraseAnswers(tx: Sql, orgId: string, objectIds: readonly string[]): Promise<void> {
    if (objectIds.length > 0) await tx.rows(this.statements.erase, orgId, objectIds);
  }

  async free(sql: Sql, { orgId, key, leaseToken }: KeyRun): Promise<void> {
    await sql.rows(this.statements.free, orgId, key, leaseToken);
  }

  async forget(sql: Sql, limit: number): Promise<number> {
    const [row] = await sql.rows(this.statements.forget, limit);
    return row?.count ?? 0;
  }
}

function knownKey(row: KeyColumns | undefined): KnownKey | null {
  if (!row) return null;
  const { request_hash: requestHash, answer_status, answer_headers, answer_ciphertext } = row;
  if (row.status === 'running' || answer_status === null || !answer_ciphertext) {
    return { requestHash, answer: null, isErased: false };
  }
  const answer = { status: answer_status, headers: answer_headers ?? {}, ciphertext: answer_ciphertext };
  return { requestHash, answer, isErased: answer_ciphertext.length === 0 };
}

function statementsOf(table: string, isErased: (objectId: string) => string) {
  const columns = 'request_hash, status, answer_status, answer_headers, answer_ciphertext';
  return {
    ...settlingStatements(table, isErased),
    // The subselect skips existing keys: ON CONFLICT alone would wait for a run that has not committed. Rows are
    // inserted in key order, so that concurrent statements cannot deadlock.
    acquire: statement<Pick<IdempotencyKeyRow, 'lease_token'>, [string[], string[], Buffer[], string[]]>(
      'idempotency_acquire',
      `INSERT INTO ${table} (org_id, key, request_hash, status, lease_token, lease_until)
       SELECT m.org_id, m.key, m.request_hash, 'running', m.lease_token, now() + ${LEASE}
       FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::uuid[]) AS m (org_id, key, request_hash, lease_token)
       WHERE (SELECT true FROM ${table} k WHERE k.org_id = m.org_id AND k.key = m.key) IS NULL
       ORDER BY m.org_id, m.key
       ON CONFLICT (org_id, key) DO NOTHING RETURNING lease_token`,
    ),
    // SKIP LOCKED: a run that is storing its answer holds the row lock and is alive.
    takeOver: statement<KeyColumns & { is_taken_over: boolean }, [string, string, Buffer, string]>(
      'idempotency_take_over',
      `WITH ended AS MATERIALIZED (
         SELECT org_id, key FROM ${table} WHERE org_id = $1 AND key = $2
           AND (created_at < now() - ${KEY_LIFETIME} OR (status = 'running' AND lease_until < now() AND request_hash = $3))
         FOR UPDATE SKIP LOCKED
       ), taken_over AS (
         UPDATE ${table} k
         SET request_hash = $3, status = 'running', lease_token = $4, lease_until = now() + ${LEASE},
             created_at = now(), answer_status = NULL, answer_headers = NULL, answer_ciphertext = NULL,
             object_id = NULL
         FROM ended WHERE k.org_id = ended.org_id AND k.key = ended.key RETURNING k.key
       )
       SELECT EXISTS (SELECT FROM taken_over) AS is_taken_over, ${columns} FROM ${table}
       WHERE org_id = $1 AND key = $2`,
    ),
    find: statement<KeyColumns, [string, string]>(
      'idempotency_find',
      `SELECT ${columns} FROM ${table} WHERE org_id = $1 AND key = $2`,
    ),
    forget: statement<{ count: number }, [number]>(
      'idempotency_forget',
      `WITH old AS MATERIALIZED (
         SELECT org_id, key FROM ${table} WHERE created_at < now() - ${KEY_LIFETIME}
         ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
       ), deleted AS (
         DELETE FROM ${table} k USING old WHERE k.org_id = old.org_id AND k.key = old.key RETURNING k.key
       )
       SELECT count(*)::int AS count FROM deleted`,
    ),
  };
}

function settlingStatements(table: string, isErased: (objectId: string) => string) {
  return {
    renew: statement<never, [string[], string[], string[]]>(
      'idempotency_renew',
      `WITH alive AS MATERIALIZED (
         SELECT k.org_id, k.key FROM ${table} k
         JOIN unnest($1::uuid[], $2::text[], $3::uuid[]) AS r (org_id, key, lease_token)
           ON k.org_id = r.org_id AND k.key = r.key AND k.lease_token = r.lease_token
         WHERE k.status = 'running' FOR UPDATE OF k SKIP LOCKED
       )
       UPDATE ${table} k SET lease_until = now() + ${LEASE}
       FROM alive WHERE k.org_id = alive.org_id AND k.key = alive.key`,
    ),
    storeWithChange: statement<
      Pick<IdempotencyKeyRow, 'lease_token'>,
      {
        orgIds: string[];
        keys: string[];
        leaseTokens: string[];
        statuses: number[];
        headers: string[];
        ciphertexts: Buffer[];
        objectIds: (string | null)[];
      }
    >(
      'idempotency_store',
      `UPDATE ${table} k
       SET status = 'done', answer_status = m.status, answer_headers = m.headers::jsonb, answer_ciphertext = m.ciphertext,
           object_id = m.object_id
       FROM unnest($orgIds::uuid[], $keys::text[], $leaseTokens::uuid[], $statuses::integer[], $headers::text[],
                   $ciphertexts::bytea[], $objectIds::uuid[])
         AS m (org_id, key, lease_token, status, headers, ciphertext, object_id)
       WHERE k.org_id = m.org_id AND k.key = m.key AND k.lease_token = m.lease_token AND k.status = 'running'
       RETURNING k.lease_token`,
    ),
    storeAfterwards: statement<
      never,
      {
        orgId: string;
        key: string;
        leaseToken: string;
        status: number;
        headers: Record<string, string>;
        ciphertext: Buffer;
        objectId: string | null;
      }
    >(
      'idempotency_store_afterwards',
      `UPDATE ${table} SET status = 'done', answer_status = $status, answer_headers = $headers,
              answer_ciphertext = CASE WHEN ${isErased('$objectId::uuid')} THEN '' ELSE $ciphertext::bytea END,
              object_id = coalesce($objectId::uuid, object_id)
       WHERE org_id = $orgId AND key = $key AND lease_token = $leaseToken`,
    ),
    erase: statement<never, [string, readonly string[]]>(
      'idempotency_erase',
      `UPDATE ${table} SET answer_ciphertext = '', answer_headers = '{}', request_hash = '', object_id = NULL,
              lease_token = gen_random_uuid()
       WHERE org_id = $1 AND object_id = ANY($2::uuid[])`,
    ),
    free: statement<never, [string, string, string]>(
      'idempotency_free',
      `DELETE FROM ${table} WHERE org_id = $1 AND key = $2 AND lease_token = $3 AND status = 'running'`,
    ),
  };
}
