import { eventually } from '@offizin/testkit/eventually';
import type { History, Operation } from '@offizin/testkit/load/history';
import { checkDeliveries, checkSet } from './checkers/checkers';
import { some, verdict, type Verdict } from './guarantee';
import type { RecordingReceiver } from './recording-receiver';
import type { Trial } from './trial';

/** The event that reports a stored row. */
const EVENT_OF_KIND = { request: 'order_request_submitted', order: 'order_created' } as const;
const NAMES = { request: 'order_request_id', order: 'order_id' } as const;
type Kind = keyof typeof EVENT_OF_KIND;

interface StoredRow {
  kind: Kind;
  key: string;
  id: string;
}

/** Every stored order request and order of the organization. */
export async function storedRows(trial: Trial): Promise<StoredRow[]> {
  return trial.sql<StoredRow>(
    `SELECT 'request' AS kind, external_reference AS key, id::text FROM core.order_requests
     WHERE org_id = $1 AND external_reference IS NOT NULL
     UNION ALL
     SELECT 'order', external_id, id::text FROM core.orders WHERE org_id = $1`,
    trial.organization.orgId,
  );
}

export interface EventVerdict {
  rows: number;
  lost: string[];
  doubled: string[];
  repeats: number;
  /** From the call of this function until the last event arrived. */
  waitedMs: number;
}

/** Waits until an event for every stored row has arrived, then judges: one event, under one delivery id, for each. */
export async function checkEvents(
  trial: Trial,
  receiver: RecordingReceiver,
  deadlineMs: number,
): Promise<EventVerdict> {
  const startedAtMs = Date.now();
  const rows = await storedRows(trial);
  const eventsOf = (row: StoredRow): string => `${EVENT_OF_KIND[row.kind]} ${row.id}`;
  const told = (): Map<string, Set<string>> => {
    const found = new Map<string, Set<string>>();
    for (const { eventType, metadata, eventId } of receiver.received) {
      const kind = eventType === EVENT_OF_KIND.request ? 'request' : 'order';
      const key = `${eventType} ${String(metadata[NAMES[kind]])}`;
      found.set(key, (found.get(key) ?? new Set()).add(eventId));
    }
    return found;
  };
  let seen = -1;
  await eventually(
    'the events of all rows',
    () => {
      if (receiver.received.length === seen) return false;
      seen = receiver.received.length;
      const found = told();
      return rows.every((row) => found.has(eventsOf(row)));
    },
    deadlineMs,
  ).catch(() => undefined);
  const waitedMs = Date.now() - startedAtMs;
  const found = told();
  const { doubled, repeats } = checkDeliveries([], [receiver.name], receiver.received);
  return {
    rows: rows.length,
    lost: rows.filter((row) => !found.has(eventsOf(row))).map((row) => `${row.kind} ${row.key}`),
    doubled: [...doubled, ...rows.filter((row) => (found.get(eventsOf(row))?.size ?? 0) > 1).map(eventsOf)],
    repeats,
    waitedMs,
  };
}

interface Judged {
  fault: string;
  deliveredWithinMs?: number;
  rowsAtLeast?: number;
  from?: number;
}

/** The two verdicts of most promises: stored rows, and their events; of the operations `from` this place of the history. */
export async function judgeSubmissions(
  trial: Trial,
  history: History,
  receiver: RecordingReceiver,
  { fault, deliveredWithinMs = 120_000, rowsAtLeast = 0, from = 0 }: Judged,
): Promise<Verdict[]> {
  const stored = await storedRows(trial);
  const pairs = stored.map(({ kind, key, id }) => ({ key: `${kind} ${key}`, id }));
  const operations = history.operations.slice(from).map((operation) => ({
    ...operation,
    key: `${operation.kind} ${operation.key}`,
  }));
  const set = checkSet(operations, pairs);
  const unknown = operations.filter(({ outcome }) => outcome === 'unknown').length;
  const refused = operations
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ key, status }) => `${key} ${status}`);
  const events = await checkEvents(trial, receiver, deliveredWithinMs);
  const counts = `lost ${some(set.lost)}, doubled ${some(set.doubled)}, wrong id ${some(set.mistaken)}`;
  return [
    verdict(
      set.lost.length + set.doubled.length + set.mistaken.length + refused.length === 0 &&
        set.acknowledged >= rowsAtLeast,
      {
        fault,
        trials: `${set.acknowledged} accepted, ${unknown} calls with unknown end repeated`,
        figure: refused.length === 0 ? counts : `${counts}, refused ${some(refused)}`,
        bar: '0 lost, 0 doubled',
      },
    ),
    verdict(events.lost.length + events.doubled.length === 0, {
      fault: `${fault}: their events`,
      trials: `${events.rows} rows`,
      figure: `lost ${some(events.lost)}, doubled ${some(events.doubled)}, repeated ${events.repeats}, the last ${seconds(events.waitedMs)} after the load`,
      bar: `0 lost, all within ${seconds(deliveredWithinMs)}`,
    }),
  ];
}

/** Time in ms from a restart to the first ok answer of a call sent after it; null without one. */
export function firstOkAfter(
  operations: readonly Operation[],
  atMs: number,
  via: readonly string[],
): number | null {
  const finished = operations
    .filter(
      (operation) =>
        operation.outcome === 'ok' && operation.finishedAtMs >= atMs && via.includes(operation.via),
    )
    .map(({ finishedAtMs }) => finishedAtMs);
  return finished.length === 0 ? null : Math.min(...finished) - atMs;
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
