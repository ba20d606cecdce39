import type { QueryResultRow } from 'pg';
import { type Sql, type Statement, statement, valuesFor } from './database';
import { MicroBatches } from './micro-batches';

/**
 * Combines concurrent calls of one statement. Use it only for statements of similar cost and one plan for all values:
 * each caller waits for all. Values arrive as text: cast them (`$1::uuid`); lists and bytes are not supported.
 */

/** Concurrent statements of one name. With fewer, more callers share one. */
const MAX_RUNNING = 2;
/** Callers per statement; bounds the wait and the size of the result. */
const MAX_MEMBERS = 16;

export class ReadCoalescer implements Sql {
  private readonly batches = new Map<string, MicroBatches<Question, QueryResultRow[]>>();
  private requested = 0;

  constructor(private readonly sql: Sql) {}

  async rows<Row extends QueryResultRow, Args extends readonly unknown[]>(
    question: Statement<Row, Args>,
    ...args: Args
  ): Promise<Row[]> {
    const { name, text } = question;
    const params = valuesFor(question, args);
    const single = { name, text, paramNames: null };
    const rows = await this.batchesOf(single, params.length).submit({ number: ++this.requested, params });
    return rows as Row[];
  }

  /** As in PostgreSQL: equal names have equal text and parameters. */
  private batchesOf(single: Single, paramCount: number): MicroBatches<Question, QueryResultRow[]> {
    const known = this.batches.get(single.name);
    if (known) return known;
    const shared = together(single, paramCount);
    const batches = new MicroBatches<Question, QueryResultRow[]>({
      run: (questions) => answersTo(this.sql, { single, shared }, questions),
      // Reads do not conflict, so each has its own key.
      keyOf: ({ number }) => String(number),
      maxRunning: MAX_RUNNING,
      maxMembers: MAX_MEMBERS,
    });
    this.batches.set(single.name, batches);
    return batches;
  }
}

interface Question {
  number: number;
  params: readonly unknown[];
}

type Single = Statement<QueryResultRow, readonly unknown[]>;
type SharedRow = QueryResultRow & { asked_place: number };
type Shared = Statement<SharedRow, [string]>;

async function answersTo(
  sql: Sql,
  { single, shared }: { single: Single; shared: Shared },
  questions: readonly Question[],
): Promise<QueryResultRow[][]> {
  const [first] = questions;
  if (first && questions.length === 1) return [await sql.rows(single, ...first.params)];
  const requested = questions.map(({ params }, place) =>
    Object.fromEntries<unknown>([
      ['place', place],
      ...params.map((value, index) => [`v${index + 1}`, value] as const),
    ]),
  );
  const answers: QueryResultRow[][] = questions.map(() => []);
  for (const { asked_place: place, ...row } of await sql.rows(shared, JSON.stringify(requested))) {
    answers[place]?.push(row);
  }
  return answers;
}

/**
 * A set-returning function has a fixed row estimate. For an array the planner would use its length and re-plan each
 * call.
 */
function together({ name, text }: Single, paramCount: number): Shared {
  const values = Array.from({ length: paramCount }, (_, index) => `v${index + 1} text`);
  return statement<SharedRow, [string]>(
    `${name} together`,
    `SELECT asked.place AS asked_place, answer.*
     FROM json_to_recordset($1::json) AS asked (${['place integer', ...values].join(', ')})
     CROSS JOIN LATERAL (${text.replace(/\$(\d+)/g, 'asked.v$1')}) answer`,
  );
}
