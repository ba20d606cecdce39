import { randomUUID } from 'node:crypto';
import { Controller, Module } from '@nestjs/common';
import type { Msg, Subscription } from 'nats';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { Text } from '@offizin/contracts/calls/fields';
import { type Answer, type Call, internalOperation, ok, subjectOf } from '@offizin/contracts/calls/operation';
import { TestBroker } from '@offizin/testkit/broker';
import { keysFor, operator as caller } from '@offizin/testkit/call-keys';
import { eventually } from '@offizin/testkit/eventually';
import { uniqueTag } from '@offizin/testkit/platform';
import { Bus } from './bus';
import { inFlightSubject, replyPrefixOf } from './calls-in-flight';
import { Handles } from './handles';
import type { BusConnection } from './key-value';
import { PROBE_MS } from './lost-calls';
import { startOperationService } from './operation-service';
import { receiveHeartbeats, sendHeartbeats } from './presence';
import { packFrames, unpackFrames } from './wire-format';

/** A caller over a real broker; the replicas are real, or played so that they fail in every way. */
class TextBody {
  @Text({ maxLength: 100 }) text!: string;
}

const hold = internalOperation({
  service: 'catalog',
  name: 'spec.hold-for-good',
  summary: 'For this spec',
  body: TextBody,
  reply: TextBody,
});

interface ReceivedCall {
  number: number;
  reply: string;
  text: string;
}

/** A replica that answers calls when the test lets it. */
class PlayedReplica {
  readonly id = randomUUID();
  readonly received: ReceivedCall[] = [];
  probes = 0;
  /** What it answers to a probe; null is silence, as of a paused process. */
  list: string | null | undefined;
  private probed: Subscription | undefined;
  private endHeartbeats: () => void = () => undefined;

  private constructor(readonly connection: BusConnection) {}

  static async start(): Promise<PlayedReplica> {
    const replica = new PlayedReplica(await broker.connect('catalog'));
    replica.appear();
    replica.endHeartbeats = sendHeartbeats(replica.connection, 'catalog', replica.id);
    replica.connection.subscribe(subjectOf(hold), {
      queue: 'catalog',
      callback: (_error, message) => replica.take(message),
    });
    await replica.connection.flush();
    return replica;
  }

  appear(): void {
    const callback = (_error: Error | null, { reply = '' }: Msg): void => {
      this.probes++;
      const list =
        this.list === undefined ? JSON.stringify(this.received.map(({ number }) => number)) : this.list;
      if (list !== null) this.connection.publish(reply, list);
    };
    this.probed = this.connection.subscribe(inFlightSubject('catalog', this.id), { callback });
  }

  /** As when its connection is cut: the broker has no subscription. */
  async vanish(): Promise<void> {
    this.probed?.unsubscribe();
    await this.connection.flush();
  }

  async die(): Promise<void> {
    this.endHeartbeats();
    await this.connection.close();
  }

  answerAll(): void {
    for (const { number, reply, text } of this.received.splice(0)) {
      const head = JSON.stringify({ number, status: 200, headers: {} });
      this.connection.publish(reply, packFrames([{ head, body: JSON.stringify({ text }) }]));
    }
  }

  private take({ data, reply = '' }: Msg): void {
    // The first frame has the signature.
    for (const { head, body } of unpackFrames(data).slice(1)) {
      const { number } = JSON.parse(head) as { number: number };
      this.received.push({ number, reply, text: (JSON.parse(body.toString()) as TextBody).text });
    }
  }
}

const LOST = 'The connection to the service was lost. Whether it took effect is unknown: repeat.';
let broker: TestBroker;
let bus: Bus;
let replicas: PlayedReplica[] = [];

beforeAll(async () => {
  broker = await TestBroker.start();
  bus = new Bus(await broker.connect('operator'), keysFor('operator'));
});
afterAll(() => broker.stop());

beforeEach(async () => {
  replicas = [await PlayedReplica.start(), await PlayedReplica.start()];
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.die()));
  await eventually('the broker to notice', async () => {
    const failure: unknown = await bus
      .call(hold, caller, { text: 'a' }, 100)
      .catch((error: unknown) => error);
    return failure instanceof Unreachable && failure.code === 'service_unavailable';
  });
  await eventually('all calls to end', () => ![...outcomes.values()].includes('open'));
});

function two(): [PlayedReplica, PlayedReplica] {
  const [one, other] = replicas;
  if (!one || !other) throw new Error('there are no replicas');
  return [one, other];
}

type Outcome = 'answered' | 'lost' | 'timeout' | 'open';

/** The outcome of each call, by its text. */
const outcomes = new Map<string, Outcome>();

function send(timeoutMs?: number): string {
  const text = uniqueTag();
  outcomes.set(text, 'open');
  const failed = (error: unknown): Outcome => {
    if (!(error instanceof Unreachable) || error.code !== 'timeout') throw error;
    return error.message === LOST ? 'lost' : 'timeout';
  };
  void bus
    .call(hold, caller, { text }, timeoutMs)
    .then((answer) => (answer.text === text ? 'answered' : 'open'), failed)
    .then((outcome) => outcomes.set(text, outcome));
  return text;
}

const outcomesOf = (texts: string[]): Outcome[] => [
  ...new Set(texts.map((text) => outcomes.get(text) ?? 'open')),
];

/** Sends calls until each replica has at least one; resolves with the calls of each. */
async function sendToBoth(timeoutMs?: number): Promise<[string[], string[]]> {
  const [one, other] = two();
  let sent = 0;
  await eventually('both to have a call', () => {
    const counts = [one.received.length, other.received.length];
    if (!counts.includes(0)) return counts.reduce((sum, count) => sum + count) === sent;
    send(timeoutMs);
    sent++;
    return false;
  });
  const textsOf = ({ received }: PlayedReplica): string[] => received.map(({ text }) => text);
  return [textsOf(one), textsOf(other)];
}

async function probed(replica: PlayedReplica, times: number): Promise<void> {
  const before = replica.probes;
  await eventually('probes', () => replica.probes >= before + times);
}

it('ends the calls of a replica whose connection has ended, and no others', async () => {
  const [one, other] = two();
  const [lost, kept] = await sendToBoth();
  await one.die();
  await eventually('the calls to end', () => outcomesOf(lost)[0] === 'lost', 5_000);
  await probed(other, 3);
  expect([outcomesOf(lost), outcomesOf(kept)]).toEqual([['lost'], ['open']]);
  other.answerAll();
  await eventually('the others to be answered', () => outcomesOf(kept)[0] === 'answered');
  expect(outcomesOf(kept)).toEqual(['answered']);
});

it('ends the calls of the last replica', async () => {
  const [one, other] = two();
  const calls = (await sendToBoth()).flat();
  await Promise.all([one.die(), other.die()]);
  await eventually('the calls to end', () => outcomesOf(calls).join() === 'lost', 5_000);
});

it('a replica that is paused keeps its calls, and so may those of another one be its own', async () => {
  const [paused, other] = two();
  const [kept, unknown] = await sendToBoth();
  paused.list = null;
  await probed(paused, 1);
  await other.die();
  await probed(paused, 6);
  expect(outcomesOf([...kept, ...unknown])).toEqual(['open']);
  paused.list = undefined;
  await eventually('the others to end', () => outcomesOf(unknown)[0] === 'lost', 5_000);
  expect(outcomesOf(kept)).toEqual(['open']);
  paused.answerAll();
  await eventually('an answer', () => outcomesOf(kept)[0] === 'answered');
});

it('a call to a slow replica has its whole time', async () => {
  const calls = (await sendToBoth(1_500)).flat();
  await eventually('the calls to end', () => !outcomesOf(calls).includes('open'));
  expect(outcomesOf(calls)).toEqual(['timeout']);
});

describe('a connection that is cut and returns', () => {
  /** Away for exactly one probe. */
  async function cut(replica: PlayedReplica): Promise<void> {
    const [, other] = two();
    await probed(other, 1);
    await replica.vanish();
    await probed(other, 1);
    replica.appear();
    await probed(replica, 2);
  }

  it('keeps its calls', async () => {
    const [one] = two();
    const [calls] = await sendToBoth();
    await cut(one);
    expect(outcomesOf(calls)).toEqual(['open']);
    one.answerAll();
    await eventually('an answer', () => outcomesOf(calls)[0] === 'answered');
  });

  it('ends those whose answer was lost with it', async () => {
    const [one, other] = two();
    const [calls, others] = await sendToBoth();
    one.received.length = 0;
    await cut(one);
    await eventually('the calls to end', () => outcomesOf(calls)[0] === 'lost', 5_000);
    expect(outcomesOf(others)).toEqual(['open']);
    other.answerAll();
  });
});

it.each(['x', '{}', 'null', '[null]', '["1"]', '['])(
  'ends no call for a malformed list: %s',
  async (list) => {
    const [one, other] = two();
    const [, kept] = await sendToBoth();
    other.list = list;
    await one.die();
    await probed(other, 3);
    expect(outcomesOf(kept)).toEqual(['open']);
    other.list = undefined;
    other.answerAll();
  },
);

it('asks nothing while calls are answered quickly', async () => {
  const endsAt = performance.now() + 4 * PROBE_MS;
  while (performance.now() < endsAt) {
    const call = send();
    await eventually('an answer', () => {
      for (const replica of replicas) replica.answerAll();
      return outcomesOf([call])[0] === 'answered';
    });
  }
  expect(replicas.map(({ probes }) => probes)).toEqual([0, 0]);
});

describe('a real service', () => {
  let release: () => void = () => undefined;

  @Controller()
  class SpecHandlers {
    @Handles(hold)
    async hold({ body }: Call<typeof hold>): Promise<Answer<TextBody>> {
      await new Promise<void>((resolve) => (release = resolve));
      return ok(body);
    }
  }

  @Module({ controllers: [SpecHandlers] })
  class SpecModule {}

  it('tells a caller which of its calls are in flight, and no other subject', async () => {
    const [one, other] = two();
    await Promise.all([one.die(), other.die()]);
    const operator = await broker.connect('operator');
    const received: string[] = [];
    const endReceiving = receiveHeartbeats(operator, 'catalog', (id) => received.push(id));
    const connection = await broker.connect('catalog');
    const service = await startOperationService({
      service: 'catalog',
      module: SpecModule,
      connection,
      keys: keysFor('catalog'),
    });
    const [id = ''] = await eventually('its heartbeat', () => received.length > 0 && received);
    const lists: string[] = [];
    const listening = operator.subscribe('*.>', {
      callback: (_error, { subject, data }) => {
        if (subject.endsWith('.asked')) lists.push(`${subject} ${Buffer.from(data).toString()}`);
      },
    });
    const prefixes: string[] = [];
    operator.subscribe(subjectOf(hold), {
      max: 1,
      callback: (_error, { reply = '' }) => prefixes.push(replyPrefixOf(reply)),
    });
    await operator.flush();
    const call = send();
    const [replyPrefix = ''] = await eventually('the call', () => prefixes.length > 0 && prefixes);
    const ask = (about: string, reply: string): void =>
      operator.publish(inFlightSubject('catalog', id), about, { reply });
    ask(replyPrefix, '$KV.directory.asked');
    ask(replyPrefix, 'rpc.catalog.asked');
    ask(replyPrefix, '_INBOX.stranger.x.asked');
    ask(replyPrefix.slice(1), '_INBOX.operator.x.asked');
    ask(replyPrefix, '_INBOX.operator.y.asked');
    await eventually('both lists', () => lists.length === 2);
    expect(lists[0]).toBe('_INBOX.operator.x.asked []');
    expect(lists[1]).toMatch(/^_INBOX\.operator\.y\.asked \[\d+\]$/);
    release();
    await eventually('an answer', () => outcomesOf([call])[0] === 'answered');
    listening.unsubscribe();
    endReceiving();
    await service.stop();
  });
});
