import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Received, ReceiverQuestion } from './receiver';
import { quantile } from './tally';

/**
 * The subscribers: Node's own HTTP servers, which answer every request with 200; below `/slow` after a while, below
 * `/hang` never. They report how long after its `created_at` each event arrived.
 */
const SLOW_MS = 100;
const CREATED_AT = /"created_at"\s*:\s*"([^"]+)"/;

let received = 0;
let firstAtMs = 0;
let latenciesMs: number[] = [];

const take: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    if (request.url?.startsWith('/hang')) return;
    note(Buffer.concat(chunks).toString('latin1'));
    if (request.url?.startsWith('/slow')) setTimeout(() => response.end(), SLOW_MS);
    else response.end();
  });
};

function note(body: string): void {
  const nowMs = Date.now();
  if (received++ === 0) firstAtMs = nowMs;
  const created = CREATED_AT.exec(body)?.[1];
  if (created !== undefined) latenciesMs.push(nowMs - Date.parse(created));
}

function listen(): Promise<number> {
  const server = createServer(take);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

process.on('message', (question: ReceiverQuestion) => {
  if ('listen' in question) {
    void Promise.all(Array.from({ length: question.listen }, listen)).then((ports) => process.send?.(ports));
    return;
  }
  const sorted = Float64Array.from(latenciesMs).sort();
  const [p50Ms, p99Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  process.send?.({ received, firstAtMs, p50Ms, p99Ms } satisfies Received);
  if (question.reset) [received, latenciesMs] = [0, []];
});
process.on('disconnect', () => process.exit());
