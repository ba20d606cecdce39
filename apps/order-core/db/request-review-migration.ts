import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clarification with every version kept, corrections, and what is found out about a prescription. */
export class RequestReview1763727000000 implements MigrationInterface {
  name = 'RequestReview1763727000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of REQUEST_REVIEW) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Versions that partners sent would be lost: restore a backup instead.'));
  }
}

const REQUEST_REVIEW = [
  `ALTER TABLE core.order_requests
    ADD COLUMN version integer NOT NULL DEFAULT 1,
    ADD COLUMN version_at timestamptz,
    ADD COLUMN attempt_lines bytea,
    ADD COLUMN question text,
    ADD COLUMN customer_digest bytea,
    ADD COLUMN corrections_ciphertext bytea`,
  `CREATE INDEX order_requests_customer ON core.order_requests (org_id, customer_digest, created_at)`,
  `CREATE TABLE core.order_request_versions (
    order_request_id uuid NOT NULL,
    number integer NOT NULL,
    org_id uuid NOT NULL,
    payload_ciphertext bytea NOT NULL,
    payload_digest bytea NOT NULL,
    question text,
    created_at timestamptz NOT NULL,
    CONSTRAINT order_request_versions_pkey PRIMARY KEY (order_request_id, number)
  )`,
  `ALTER TABLE core.documents
    ADD COLUMN version integer NOT NULL DEFAULT 1,
    ADD COLUMN fetch_attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN signature text,
    ADD COLUMN pages integer`,
  `CREATE INDEX documents_sha256 ON core.documents (org_id, sha256)`,
];
