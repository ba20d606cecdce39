import type { Caller } from '@offizin/contracts/caller';
import type { Answer, KeyRun } from '@offizin/contracts/operation';
import { appendTraced, buildEvent, type NewEvent } from '@offizin/events/outbox';
import { storeAnswers } from '@offizin/idempotency/stored-answer';
import type { Database, Sql } from '@offizin/pg/database';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { appendAudits, auditActorOf } from '../audit/audit.store';
import { SCHEMA } from '../db/schema';
import { type Credential, credentialOf } from '../directory/live-caller.store';

/** A new record that a partner hands in: an order request or a prescription without a document. */
export interface Intake<Row> {
  caller: Caller;
  row: Row & { id: string; shopId: string };
  /** Records with equal ones are written one after the other. */
  key: string;
  audit: { action: string; object: string };
  event: NewEvent;
  answer: Answer<unknown>;
  keyRun: KeyRun | undefined;
}

export type GivenRow<Row> = Intake<Row>['row'] & Credential & { orgId: string };

/**
 * Records handed in at the same time share a transaction: rows, audit entries, events and the answers of their
 * Idempotency-Keys, one statement each.
 */
export class IntakeBatches<Row> {
  private readonly batches: MicroBatches<Intake<Row> & { traceparent: string | null }, boolean>;

  /** `insert` writes no row for an unknown shop, a caller that is not live or a known record; it returns the written ids. */
  constructor(
    private readonly database: Database,
    private readonly insert: (tx: Sql, rows: readonly GivenRow<Row>[]) => Promise<ReadonlySet<string>>,
  ) {
    this.batches = new MicroBatches({ run: (members) => this.write(members), keyOf: ({ key }) => key });
  }

  /** False when nothing was written: the caller finds out why. */
  submit(intake: Intake<Row>): Promise<boolean> {
    return this.batches.submit({ ...intake, traceparent: storedTraceparent() });
  }

  private async write(
    members: readonly (Intake<Row> & { traceparent: string | null })[],
  ): Promise<boolean[]> {
    return this.database.transaction(async (tx) => {
      const ids = await this.insert(
        tx,
        members.map(({ caller, row }) => ({ ...row, ...credentialOf(caller), orgId: caller.orgId })),
      );
      const isWritten = ({ row }: Intake<Row>): boolean => ids.has(row.id);
      const written = members.filter(isWritten);
      if (written.length > 0) await this.record(tx, written);
      return members.map(isWritten);
    });
  }

  private async record(
    tx: Sql,
    written: readonly (Intake<Row> & { traceparent: string | null })[],
  ): Promise<void> {
    await appendAudits(
      tx,
      written.map(({ caller, audit }) => ({ ...audit, ...auditActorOf(caller), orgId: caller.orgId })),
    );
    await appendTraced(
      tx,
      SCHEMA,
      written.map(({ event, traceparent }) => ({ ...buildEvent(event), traceparent })),
    );
    await storeAnswers(
      tx,
      written.flatMap(({ keyRun: run, answer }) => (run ? [{ run, answer }] : [])),
    );
  }
}
