import { orderRequest, type TestOrganization } from '../organization';
import { type CallAnswer, callApi, callConnector, textIn } from './calls';
import { type History, type Operation, outcomeOf } from './history';

/** A write that must take effect once, however often its caller repeats it. */
export interface Submission {
  kind: 'request' | 'order' | 'adjustment' | 'approval';
  key: string;
  via: 'connector' | 'gateway';
  send: () => Promise<CallAnswer>;
}

export function requestSubmission(
  organization: TestOrganization,
  key: string,
  payload: object = {},
): Submission {
  const body = orderRequest({ customer_name: `Kundin ${key}`, ...payload }, { external_reference: key });
  return {
    kind: 'request',
    key,
    via: 'connector',
    send: () => callConnector(organization, 'POST', body),
  };
}

export function orderSubmission(organization: TestOrganization, key: string): Submission {
  const items = [{ name: 'Salbe', qty: 2, price: 3.5 }];
  const body = {
    shop_id: organization.shops[0].shopId,
    external_id: key,
    customer_name: `Kundin ${key}`,
    items,
  };
  return { kind: 'order', key, via: 'gateway', send: () => callApi(organization, 'POST /orders', body) };
}

/** A stock adjustment has no reference: only its Idempotency-Key identifies a repeat. */
export function adjustmentSubmission(organization: TestOrganization, key: string, p1Id: string): Submission {
  const body = { p1_id: p1Id, delta: 1, reason: 'received', note: key };
  const headers = { 'idempotency-key': key };
  const send = () => callApi(organization, 'POST /inventory/adjust', body, { headers });
  return { kind: 'adjustment', key, via: 'gateway', send };
}

/** Every other one an order request over the connector, the rest orders over the gateway. */
export function mixedSubmissions(
  organization: TestOrganization,
  count: number,
  prefix: string,
): Submission[] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? requestSubmission(organization, `${prefix}-${index}`)
      : orderSubmission(organization, `${prefix}-${index}`),
  );
}

export interface SubmitOptions {
  history: History;
  /** Of the pauses. */
  random: { next: () => number };
  submitters: number;
  /** Longest pause of a caller between two submissions; spreads the load over the faults. */
  pauseMs: number;
  /** After this a submission that never ended ok is given up and stays unknown. */
  giveUpMs?: number;
}

const REPEAT_PAUSE_MS = 100;
const GIVE_UP_MS = 90_000;

/** Repeats each until it ends ok or is refused, `submitters` at a time. Resolves when all are done. */
export async function submitAll(submissions: Iterable<Submission>, options: SubmitOptions): Promise<void> {
  const waiting = submissions[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      await submitUntilOk(next.value, options);
      if (options.pauseMs > 0) await pause(options.random.next() * options.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: options.submitters }, work));
}

export async function submitUntilOk(
  submission: Submission,
  { history, giveUpMs = GIVE_UP_MS }: Pick<SubmitOptions, 'history' | 'giveUpMs'>,
): Promise<Operation> {
  const giveUpAtMs = Date.now() + giveUpMs;
  for (;;) {
    const operation = await submitOnce(submission, history);
    if (operation.outcome !== 'unknown' || Date.now() > giveUpAtMs) return operation;
    await pause(REPEAT_PAUSE_MS);
  }
}

export async function submitOnce(submission: Submission, history: History): Promise<Operation> {
  const { kind, key, via, send } = submission;
  const invokedAtMs = Date.now();
  const answer = await send();
  const isUnderWay = textIn(answer, 'error') === 'idempotency_in_progress';
  const outcome = isUnderWay ? 'unknown' : outcomeOf(answer.status);
  const id = outcome === 'ok' ? textIn(answer, 'id') : null;
  const operation = {
    kind,
    key,
    via,
    invokedAtMs,
    finishedAtMs: Date.now(),
    outcome,
    status: answer.status,
    id,
  };
  history.record(operation);
  return operation;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
