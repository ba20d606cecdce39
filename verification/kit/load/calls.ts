import { Agent } from 'node:http';
import { targetAt } from '../edge-target';
import { http } from '../http';
import type { TestOrganization } from '../organization';

/** Outcome of one call. Never an exception: a missing answer is an outcome, too. */
export interface CallAnswer {
  /** Null without an answer. */
  status: number | null;
  body: string;
  durationMs: number;
  /** Why there was no answer. */
  failure: string | null;
}

export interface CallOptions {
  method: string;
  headers?: Record<string, string>;
  body?: object | string | Buffer;
  timeoutMs?: number;
  agent?: Agent;
}

/** Longer than any promise, so that a broken promise shows as a long wait and not as a missing answer. */
const CALL_TIMEOUT_MS = 20_000;
const sharedAgent = new Agent({ keepAlive: true, maxSockets: 512 });

export async function call(url: string, options: CallOptions): Promise<CallAnswer> {
  const startedAt = performance.now();
  const { agent = sharedAgent, timeoutMs = CALL_TIMEOUT_MS, ...request } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const { status, body, durationMs } = await http(url, { ...request, agent, signal });
    return { status, body: body.toString(), failure: null, durationMs };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const failure = signal.aborted ? `no answer in ${timeoutMs} ms` : reason;
    return { status: null, body: '', failure, durationMs: performance.now() - startedAt };
  }
}

/** The organization API, as the integrator calls it: `GET /orders`. */
export function callApi(
  organization: TestOrganization,
  methodAndPath: string,
  body?: object,
  options: Partial<CallOptions> = {},
): Promise<CallAnswer> {
  const [method = '', path = ''] = methodAndPath.split(' ');
  const target = targetAt('gateway', organization, path);
  const headers = { ...target.headers, ...options.headers };
  return call(`${target.url}${target.path}`, { ...options, method, body, headers });
}

/** The first shop's connector, as the partner calls it: `POST`, or `GET /<id>`. */
export function callConnector(
  organization: TestOrganization,
  methodAndTail: string,
  body?: object | Buffer | string,
  options: Partial<CallOptions> = {},
): Promise<CallAnswer> {
  const [method = '', tail = ''] = methodAndTail.split(' ');
  const target = targetAt('connector-edge', organization);
  const headers = { ...target.headers, ...options.headers };
  return call(`${target.url}${target.path}${tail}`, { ...options, method, body, headers });
}

/** A field of a JSON answer that is a text; null without one. */
export function textIn(answer: CallAnswer, name: string): string | null {
  try {
    const value = (JSON.parse(answer.body) as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** Starts all calls in one tick. */
export function inParallel<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

/** Such as `1 × 201, 99 × 200`; a call without an answer counts by its failure. */
export function statusesOf(answers: readonly Pick<CallAnswer, 'status' | 'failure'>[]): string {
  const counts = new Map<string, number>();
  for (const { status, failure } of answers) {
    const name = String(status ?? failure);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
}
