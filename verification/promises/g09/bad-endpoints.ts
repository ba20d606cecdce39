import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually } from '@offizin/testkit/eventually';
import { callApi, textIn } from '@offizin/testkit/load/calls';
import { pause } from '@offizin/testkit/load/submissions';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { compareLatencies } from '../checkers/checkers';
import { memoryMb, watchMemory } from '../faults/processes';
import { type Guarantee, verdict } from '../guarantee';
import type { RecordingReceiver } from '../recording-receiver';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const HEALTHY = 20;
const ORDERS_PER_SECOND = 10;
const SECONDS_EACH = 8;
const RATIO_AT_MOST = 1.5;
/** Two figures below this differ by the noise of a shared machine. */
const NOISE_FLOOR_MS = 50;
const MEMORY_MB_AT_MOST = 64;

export const badEndpoints: Guarantee = {
  id: 'G9',
  promise: 'A bad endpoint hurts nobody',
  // It measures times, which depend on other load of the machine: not for `npm test`.
  isShort: false,
  run: async (bench) => {
    const { open, pick, atEnd, history, say } = bench;
    const trial = await open();
    // At most 20 subscriptions of one organization: half of the healthy ones share it with the bad ones.
    const other = await trial.platform.organization();
    const healthy = await Promise.all(
      Array.from({ length: HEALTHY }, (_, index) =>
        trial.subscribe(`healthy-${index}`, undefined, index % 2 === 0 ? trial.organization : other),
      ),
    );
    const organizations = [trial.organization, other];
    await drive(organizations, 'warm', 3, healthy);
    const worker = trial.stack.apps['webhook-worker'];
    const memoryBefore = memoryMb(worker);
    const bad = await Promise.all(
      (Object.keys(HOSTILITIES) as Hostility[]).map((kind) => beBad(trial, kind)),
    );
    atEnd(async () => bad.forEach(({ receiver }) => receiver.close()));
    const peak = watchMemory([worker]);
    const before: number[] = [];
    const during: number[] = [];
    // In turn, because the other load of the machine changes by the minute.
    for (let round = 0; round < pick(4, 1); round++) {
      await switchAll(trial, bad, false);
      before.push(...(await drive(organizations, `before-${round}`, SECONDS_EACH, healthy)));
      await switchAll(trial, bad, true);
      history.note('bad endpoints active');
      // The bad ones fail first: the promise is about a worker that knows them.
      await drive(organizations, `meeting-${round}`, 2, healthy);
      during.push(...(await drive(organizations, `during-${round}`, SECONDS_EACH, healthy)));
    }
    const [mostMb = 0] = await peak();
    const growth = memoryBefore === null ? null : mostMb - memoryBefore;
    const { beforeMs, duringMs, ratio } = compareLatencies(before, during, 0.99, NOISE_FLOOR_MS);
    const names = bad.map(({ receiver }) => receiver.hostility).join(', ');
    say(bad.map(({ receiver: { hostility, connections } }) => `${hostility} ${connections}`).join(', '));
    return [
      verdict(ratio <= RATIO_AT_MOST && during.length > 0, {
        fault: `${bad.length} bad endpoints (${names})`,
        trials: `${before.length} deliveries to ${HEALTHY} healthy ones before, ${during.length} during`,
        figure: `p99 commit to arrival ${seconds(beforeMs)} before, ${seconds(duringMs)} during: ratio ${ratio.toFixed(2)}`,
        bar: `ratio ≤ ${RATIO_AT_MOST} (below ${NOISE_FLOOR_MS} ms counts as equal)`,
      }),
      growth === null
        ? { ...memoryRow('no /proc here'), result: 'skipped' as const }
        : verdict(growth <= MEMORY_MB_AT_MOST, memoryRow(`${growth.toFixed(0)} MB more at most`)),
    ];
  },
};

function memoryRow(figure: string) {
  return {
    fault: 'memory of the worker meanwhile',
    trials: 'looked at every 100 ms',
    figure,
    bar: `+${MEMORY_MB_AT_MOST} MB at most`,
  };
}

interface Bad {
  receiver: HostileReceiver;
  webhookId: string;
}

async function beBad(trial: Trial, hostility: Hostility): Promise<Bad> {
  const receiver = await HostileReceiver.start(hostility);
  const answer = await callApi(trial.organization, 'POST /webhooks', { url: receiver.url });
  const webhookId = textIn(answer, 'id');
  if (webhookId === null) throw new Error(`a subscription was answered ${answer.status}: ${answer.body}`);
  return { receiver, webhookId };
}

async function switchAll(trial: Trial, bad: readonly Bad[], is_active: boolean): Promise<void> {
  for (const { webhookId } of bad) {
    const { status, body } = await callApi(trial.organization, `PUT /webhooks/${webhookId}`, {
      is_active,
    });
    if (status !== 200) throw new Error(`switching a subscription was answered ${status}: ${body}`);
  }
}

/** Orders at an even pace; resolves with the time from commit to arrival of each delivery to a healthy endpoint. */
async function drive(
  organizations: readonly Trial['organization'][],
  name: string,
  durationSeconds: number,
  healthy: readonly RecordingReceiver[],
): Promise<number[]> {
  const from = healthy.map(({ received }) => received.length);
  const count = durationSeconds * ORDERS_PER_SECOND;
  const startedAt = performance.now();
  for (let index = 0; index < count; index++) {
    const dueAt = startedAt + (index * 1_000) / ORDERS_PER_SECOND;
    await pause(Math.max(0, dueAt - performance.now()));
    await Promise.all(
      organizations.map(async (organization) => {
        const body = { shop_id: organization.shops[0].shopId, external_id: `g9-${name}-${index}` };
        const { status } = await callApi(organization, 'POST /orders', body);
        if (status !== 201) throw new Error(`an order was answered ${status}`);
      }),
    );
  }
  await eventually(
    'every delivery to the healthy ones',
    () => healthy.every(({ received }, index) => received.length >= (from[index] ?? 0) + count),
    60_000,
  );
  return healthy.flatMap(({ received }, index) =>
    received.slice(from[index]).map(({ atMs, createdAtMs }) => atMs - createdAtMs),
  );
}

/** Ways of a hostile subscriber. Each gets the connection once the head of a request has arrived. */
const HOSTILITIES = {
  hang: () => undefined,
  /** One byte of a head that never ends, every 100 ms. */
  drip: (socket) => every(socket, 100, () => socket.write('x')),
  reset: (socket) => void socket.resetAndDestroy(),
  'server error': (socket) => void socket.end(answer('500 Internal Server Error', '', 'no')),
  redirect: (socket) => void socket.end(answer('302 Found', 'location: http://127.0.0.1:9/internal\r\n', '')),
  'gzip bomb': (socket) => {
    const { head, body } = bomb();
    socket.write(head);
    socket.end(body);
  },
  /** An endless body, as fast as it is read. */
  'endless body': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
  },
  'endless head': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    every(socket, 10, () => socket.write(`x-${'a'.repeat(2_000)}: b\r\n`));
  },
} as const satisfies Record<string, (socket: Socket) => void>;
type Hostility = keyof typeof HOSTILITIES;

const BOMB_BYTES = 64 * 1024 * 1024;
let madeBomb: { head: string; body: Buffer } | undefined;

/** A hostile subscriber; counts its requests. */
class HostileReceiver {
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly hostility: Hostility,
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(hostility: Hostility): Promise<HostileReceiver> {
    const server = createServer();
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`;
    const receiver = new HostileReceiver(hostility, server, url);
    server.on('connection', (socket) => receiver.take(socket));
    return receiver;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private take(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    socket.once('data', () => HOSTILITIES[this.hostility](socket));
    socket.on('data', () => undefined);
  }
}

function every(socket: Socket, ms: number, work: () => void): void {
  const timer = setInterval(work, ms);
  socket.once('close', () => clearInterval(timer));
}

function answer(status: string, headers: string, body: string): string {
  return `HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}

/** 64 MiB of zeros, compressed to 64 KiB. */
function bomb(): { head: string; body: Buffer } {
  if (!madeBomb) {
    const body = gzipSync(Buffer.alloc(BOMB_BYTES), { level: 9 });
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
    madeBomb = { head, body };
  }
  return madeBomb;
}
