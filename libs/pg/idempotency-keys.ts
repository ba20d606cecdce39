import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { type Sql, type Statement, statement } from './database';

/**
 * The table behind Idempotency-Key. Each service has one in its own schema, made by `createIdempotencySql` and
 * described by this entity; its rules are in idempotency.ts.
 */
@Entity('idempotency_keys')
@Index('idempotency_keys_created', ['created_at'])
export class IdempotencyKeyRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'idempotency_keys_pkey' }) org_id!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' }) key!: string;
  /** SHA-256 over method, path, query and body. */
  @Column('bytea') request_hash!: Buffer;
  @Column('text') status!: 'running' | 'done';
  /** Of the run that holds the key: one whose lease ended must not overwrite its successor. */
  @Column('uuid') lease_token!: string;
  @Column('timestamptz') lease_until!: Date;
  @Column('integer', { nullable: true }) answer_status!: number | null;
  @Column('jsonb', { nullable: true }) answer_headers!: Record<string, string> | null;
  /** Encrypted: an answer may hold a secret that is shown once. */
  @Column('bytea', { nullable: true }) answer_ciphertext!: Buffer | null;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}

export function createIdempotencySql(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.idempotency_keys (
      org_id uuid NOT NULL,
      key text NOT NULL,
      request_hash bytea NOT NULL,
      status text NOT NULL,
      lease_token uuid NOT NULL,
      lease_until timestamptz NOT NULL,
      answer_status integer,
      answer_headers jsonb,
      answer_ciphertext bytea,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT idempotency_keys_pkey PRIMARY KEY (org_id, key)
    )`,
    `CREATE INDEX idempotency_keys_created ON ${schema}.idempotency_keys (created_at)`,
  ];
}

/** How long a key is kept. Source: decisions.md section 1. */
const KEPT = `interval '24 hours'`;
/** Longer than any operation may run; a key whose process died is free again after it. */
const LEASE = `interval '60 seconds'`;

/** A run of a request under a key. */
export interface KeyRun {
  orgId: string;
  key: string;
  leaseToken: string;
}

export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  ciphertext: Buffer;
}

/** What is known of a key that another request holds. */
export interface KnownKey {
  requestHash: Buffer;
  /** Null while the first request is running. */
  answer: KeptAnswer | null;
}

type KeyColumns = Pick<
  IdempotencyKeyRow,
  'request_hash' | 'status' | 'answer_status' | 'answer_headers' | 'answer_ciphertext'
>;

interface KeyStatements {
  claim: Statement<{ key: string }, [string, string, Buffer, string]>;
  find: Statement<KeyColumns, [string, string]>;
  keep: Statement<never, [string, string, string, number, Record<string, string>, Buffer]>;
  free: Statement<never, [string, string, string]>;
  forget: Statement<{ count: number }, [number]>;
}

/** The statements on the table of one schema. */
export class IdempotencyKeyStore {
  private readonly statements: KeyStatements;

  constructor(schema: string) {
    this.statements = statementsOf(`${schema}.idempotency_keys`);
  }

  /** Takes the key when nobody holds it: it is new, too old, or its run never ended. True for exactly one of racers. */
  async claim(sql: Sql, run: KeyRun, requestHash: Buffer): Promise<boolean> {
    const rows = await sql.rows(this.statements.claim, run.orgId, run.key, requestHash, run.leaseToken);
    return rows.length === 1;
  }

  /** Null when the key was freed meanwhile. */
  async find(sql: Sql, orgId: string, key: string): Promise<KnownKey | null> {
    const [row] = await sql.rows(this.statements.find, orgId, key);
    if (!row) return null;
    const { request_hash: requestHash, answer_status, answer_headers, answer_ciphertext } = row;
    if (row.status === 'running' || answer_status === null || !answer_ciphertext) {
      return { requestHash, answer: null };
    }
    const answer = { status: answer_status, headers: answer_headers ?? {}, ciphertext: answer_ciphertext };
    return { requestHash, answer };
  }

  /** Keeps the answer of a run, unless another run has taken the key over. */
  async keep(sql: Sql, { orgId, key, leaseToken }: KeyRun, answer: KeptAnswer): Promise<void> {
    const { status, headers, ciphertext } = answer;
    await sql.rows(this.statements.keep, orgId, key, leaseToken, status, headers, ciphertext);
  }

  /** Gives the key back, so that the caller may repeat. */
  async free(sql: Sql, { orgId, key, leaseToken }: KeyRun): Promise<void> {
    await sql.rows(this.statements.free, orgId, key, leaseToken);
  }

  /** Deletes at most `limit` keys that are past their time; resolves with their number. */
  async forget(sql: Sql, limit: number): Promise<number> {
    const [row] = await sql.rows(this.statements.forget, limit);
    return row?.count ?? 0;
  }
}

function statementsOf(table: string): KeyStatements {
  return {
    claim: statement(
      'idempotency_claim',
      `INSERT INTO ${table} AS k (org_id, key, request_hash, status, lease_token, lease_until)
       VALUES ($1, $2, $3, 'running', $4, now() + ${LEASE})
       ON CONFLICT (org_id, key) DO UPDATE
         SET request_hash = excluded.request_hash, status = 'running', lease_token = excluded.lease_token,
             lease_until = excluded.lease_until, created_at = now(),
             answer_status = NULL, answer_headers = NULL, answer_ciphertext = NULL
         WHERE k.created_at < now() - ${KEPT} OR (k.status = 'running' AND k.lease_until < now())
       RETURNING key`,
    ),
    find: statement(
      'idempotency_find',
      `SELECT request_hash, status, answer_status, answer_headers, answer_ciphertext FROM ${table}
       WHERE org_id = $1 AND key = $2`,
    ),
    keep: statement(
      'idempotency_keep',
      `UPDATE ${table} SET status = 'done', answer_status = $4, answer_headers = $5, answer_ciphertext = $6
       WHERE org_id = $1 AND key = $2 AND lease_token = $3`,
    ),
    free: statement(
      'idempotency_free',
      `DELETE FROM ${table} WHERE org_id = $1 AND key = $2 AND lease_token = $3 AND status = 'running'`,
    ),
    forget: statement(
      'idempotency_forget',
      `WITH old AS MATERIALIZED (
         SELECT org_id, key FROM ${table} WHERE created_at < now() - ${KEPT}
         ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
       ), deleted AS (
         DELETE FROM ${table} k USING old WHERE k.org_id = old.org_id AND k.key = old.key RETURNING k.key
       )
       SELECT count(*)::int AS count FROM deleted`,
    ),
  };
}
