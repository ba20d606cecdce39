import type { Caller } from '@offizin/contracts/calls/caller';
import type { Answer, KeyRun } from '@offizin/contracts/calls/operation';
import { appendTraced, buildEvent, type NewEvent } from '@offizin/events/outbox';
import { storeAnswers } from '@offizin/idempotency/stored-answer';
import type { Database, Sql } from '@offizin/pg/database';
import { MicroBatches, type MicroBatchOptions } from '@offizin/pg/micro-batches';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { appendAudits, auditActorOf } from '../../audit/audit.store';
import { SCHEMA } from '../../db/schema';
import { type Credential, credentialOf } from '../../callers/live-caller.store';
import { assertNotOvertaken, type PersonToStore } from '../../callers/overtaken.store';

/** One call's change: its row as given, and what is recorded beside it once it is written. */
export interface Write<Row, Written, Reply> {
  caller: Caller;
  row: Row & { id: string };
  customer: PersonToStore['customer'];
  /** Changes with equal ones are written one after the other. */
  key: string;
  audits: readonly { action: string; object: string }[];
  eventsOf: (written: Written) => readonly NewEvent[];
  answerOf: (written: Written) => Answer<Reply>;
  keyRun: KeyRun | undefined;
}

export type GivenRow<Row> = Row & { id: string } & Credential & { orgId: string };

type Traced<Member> = Member & { traceparent: string | null };

/** What the statement of a batch answers for each row that it wrote. */
export interface WrittenRow {
  id: string;
}

/**
 * Changes that are asked for at the same time share a transaction: rows, audit entries, events and the answers of their
 * Idempotency-Keys, one statement each.
 */
export class SharedWrites<Row, Written extends WrittenRow, Reply> {
  private readonly batches: MicroBatches<Traced<Write<Row, Written, Reply>>, Answer<Reply> | null>;

  /** `write` leaves out what may not be written, such as for a caller that is not live. */
  constructor(
    private readonly database: Database,
    private readonly write: (tx: Sql, rows: readonly GivenRow<Row>[]) => Promise<readonly Written[]>,
    options: Pick<MicroBatchOptions<Write<Row, Written, Reply>, never>, 'isLarge'> = {},
  ) {
    const run = (members: readonly Traced<Write<Row, Written, Reply>>[]) => this.run(members);
    this.batches = new MicroBatches({ ...options, run, keyOf: ({ key }) => key });
  }

  /** Null when nothing was written: the caller finds out why. */
  submit(write: Write<Row, Written, Reply>): Promise<Answer<Reply> | null> {
    return this.batches.submit({ ...write, traceparent: storedTraceparent() });
  }

  private run(members: readonly Traced<Write<Row, Written, Reply>>[]): Promise<(Answer<Reply> | null)[]> {
    return this.database.transaction(async (tx) => {
      await assertNotOvertaken(
        tx,
        members.map(({ caller: { orgId, begunAtMs }, customer }) => ({ orgId, begunAtMs, customer })),
      );
      const rows = await this.write(
        tx,
        members.map(({ caller, row }) => ({ ...row, ...credentialOf(caller), orgId: caller.orgId })),
      );
      const writtenBy = new Map(rows.map((written) => [written.id, written]));
      const done = members.map((member) => {
        const written = writtenBy.get(member.row.id);
        return written ? { member, written, answer: member.answerOf(written) } : null;
      });
      await record(
        tx,
        done.filter((each) => each !== null),
      );
      return done.map((each) => each?.answer ?? null);
    });
  }
}

interface Done<Row, Written, Reply> {
  member: Traced<Write<Row, Written, Reply>>;
  written: Written;
  answer: Answer<Reply>;
}

async function record<Row, Written, Reply>(
  tx: Sql,
  done: readonly Done<Row, Written, Reply>[],
): Promise<void> {
  if (done.length === 0) return;
  await appendAudits(
    tx,
    done.flatMap(({ member: { caller, audits } }) =>
      audits.map((audit) => ({ ...audit, ...auditActorOf(caller), orgId: caller.orgId })),
    ),
  );
  await appendTraced(
    tx,
    SCHEMA,
    done.flatMap(({ member: { eventsOf, traceparent }, written }) =>
      eventsOf(written).map((event) => ({ ...buildEvent(event), traceparent })),
    ),
  );
  await storeAnswers(
    tx,
    done.flatMap(({ member: { keyRun: run }, answer }) => (run ? [{ run, answer }] : [])),
  );
}
