import { Agent, createServer as createHttpServer, request } from 'node:http';
import { createServer } from 'node:net';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { type Pace, paceOf } from './caller';

/** One request that is sent again and again; `{n}` in path and body is replaced by a number that never repeats. */
export interface RepeatedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** The loopback address that it is sent from. */
  localAddress?: string;
}

/** The pace of all callers together. */
export interface AttackJob extends Pace {
  requests: RepeatedRequest[];
  callers: number;
}

export type ToAttacker = { kind: 'start'; job: AttackJob } | { kind: 'stop' };
/** Number of answers by status; `none` without an answer. */
export type FromAttacker =
  | { kind: 'ready'; silentUrl: string; sinkUrl: string }
  | { kind: 'stopped'; statuses: Record<string, number> };

/**
 * A caller that uses its whole rate limit. It is a separate process, so that its work does not delay the measurement of
 * its neighbour. It also runs two servers: one never answers, the other accepts webhooks slowly.
 */
const SINK_ANSWERS_AFTER_MS = 100;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let sent = 0;
let statuses: Record<string, number> = {};
let isRunning = false;
let callers: Promise<unknown> = Promise.resolve();

process.on('message', (message: ToAttacker) => {
  if (message.kind === 'start') start(message.job);
  else void stop();
});
process.on('disconnect', () => process.exit());
void listen();

async function listen(): Promise<void> {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume());
  const sink = createHttpServer((incoming, response) => {
    incoming
      .resume()
      .once('end', () => setTimeout(() => response.writeHead(200).end(), SINK_ANSWERS_AFTER_MS));
  });
  const [silentPort, sinkPort] = [await listenOnLoopback(silent), await listenOnLoopback(sink)];
  tell({
    kind: 'ready',
    silentUrl: `https://127.0.0.1:${silentPort}`,
    sinkUrl: `http://127.0.0.1:${sinkPort}/webhooks/service`,
  });
}

function start(job: AttackJob): void {
  isRunning = true;
  statuses = {};
  const pace = paceOf(job);
  const call = async (): Promise<void> => {
    while (isRunning) {
      await pace();
      const next = job.requests[sent % job.requests.length];
      if (!isRunning || !next) return;
      const status = await send(next, ++sent);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  callers = Promise.all(Array.from({ length: job.callers }, call));
}

async function stop(): Promise<void> {
  isRunning = false;
  await callers;
  tell({ kind: 'stopped', statuses });
}

function send(
  { method, url, headers, body, localAddress }: RepeatedRequest,
  number: number,
): Promise<string> {
  const text = body?.replaceAll('{n}', String(number));
  const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  return new Promise((resolve) => {
    const options = { method, agent, localAddress, headers: { ...headers, ...length } };
    const sending = request(url.replaceAll('{n}', String(number)), options, (response) => {
      response.once('error', () => resolve('none'));
      response.once('end', () => resolve(String(response.statusCode)));
      response.resume();
    });
    sending.once('error', () => resolve('none'));
    sending.end(text);
  });
}

function tell(message: FromAttacker): void {
  process.send?.(message);
}
