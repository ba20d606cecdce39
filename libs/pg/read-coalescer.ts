import type { QueryResultRow } from 'pg';
import { type Sql, type Statement, statement } from './database';
import { MicroBatches } from './micro-batches';

/**
 * Reads of one moment that ask the same with other values (first pages of a list, orders by their ids) in one statement.
 * Each answer is what it is alone; but the way to the database is gone once for all of them, and they go on to the edge
 * together, too (batcher.ts). A caller alone has a statement of its own. One whose value the database refuses has
 * its own error, and the others have their answers (micro-batches.ts).
 *
 * Only for statements that cost every caller about the same, with one plan for any values: who is in a statement waits
 * for all of it. Their parameters are cast in the text (`$1::uuid`), for here each value comes as text, and are neither
 * lists nor bytes.
 *
 * Buys, in turn on one busy machine, µs of a core with 16 callers: list of 50 orders in order-core 365 -> 185 (half of it
 * by pages that leave as text), list of 50 products in PostgreSQL 354 -> 246.
 */

/** Statements at once of one kind. With fewer, more callers share one; a third brought nothing on two cores. */
const MAX_RUNNING = 2;
/** Callers in one: a page has some 20 KB, and nobody waits for more than so many. */
const MAX_MEMBERS = 16;

export class ReadCoalescer implements Sql {
  private readonly batches = new Map<string, MicroBatches<Question, QueryResultRow[]>>();
  private asked = 0;

  constructor(private readonly sql: Sql) {}

  async rows<Row extends QueryResultRow, Params extends readonly unknown[]>(
    { name, text }: Statement<Row, Params>,
    ...params: Params
  ): Promise<Row[]> {
    const rows = await this.batchesOf({ name, text }, params.length).submit({ number: ++this.asked, params });
    return rows as Row[];
  }

  /** Known by its name, as PostgreSQL knows it: its parameters are the same each time. */
  private batchesOf(single: Single, paramCount: number): MicroBatches<Question, QueryResultRow[]> {
    const known = this.batches.get(single.name);
    if (known) return known;
    const shared = together(single, paramCount);
    const batches = new MicroBatches<Question, QueryResultRow[]>({
      run: (questions) => answersTo(this.sql, { single, shared }, questions),
      // Reads stand in nobody's way: each has a key of its own.
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
/** The rows of all, each with the place of the question that it answers. */
type Shared = Statement<QueryResultRow & { asked_place: number }, [string]>;

async function answersTo(
  sql: Sql,
  { single, shared }: { single: Single; shared: Shared },
  questions: readonly Question[],
): Promise<QueryResultRow[][]> {
  const [first] = questions;
  if (first && questions.length === 1) return [await sql.rows(single, ...first.params)];
  const asked = questions.map(({ params }, place) =>
    Object.fromEntries<unknown>([
      ['place', place],
      ...params.map((value, index) => [`v${index + 1}`, value] as const),
    ]),
  );
  const answers: QueryResultRow[][] = questions.map(() => []);
  for (const { asked_place: place, ...row } of await sql.rows(shared, JSON.stringify(asked))) {
    answers[place]?.push(row);
  }
  return answers;
}

/** A function's rows count the same in every plan; of an array the planner would take the length, and plan each anew. */
function together({ name, text }: Single, paramCount: number): Shared {
  const values = Array.from({ length: paramCount }, (_, index) => `v${index + 1} text`);
  return statement(
    `${name} together`,
    `SELECT asked.place AS asked_place, answer.*
     FROM json_to_recordset($1::json) AS asked (${['place integer', ...values].join(', ')})
     CROSS JOIN LATERAL (${text.replace(/\$(\d+)/g, 'asked.v$1')}) answer`,
  );
}
