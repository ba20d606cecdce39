import { Controller, Module } from '@nestjs/common';
import type { Msg, NatsConnection } from 'nats';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound, Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { Int, Text } from '@offizin/contracts/calls/fields';
import {
  type Answer,
  type Call,
  internalOperation,
  MAX_REPLY_BYTES,
  MAX_BODY_BYTES,
  ok,
  okJson,
  type Operation,
  subjectOf,
} from '@offizin/contracts/calls/operation';
import { listProducts } from '@offizin/contracts/products/products';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import type { CallKeys } from '@offizin/runtime/call-keys';
import { TestBroker } from '@offizin/testkit/broker';
import { keysFor, operator as caller } from '@offizin/testkit/call-keys';
import { eventually } from '@offizin/testkit/eventually';
import { uniqueTag } from '@offizin/testkit/platform';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { Bus } from './bus';
import { repliesTooLarge } from './bus-metrics';
import { type AnswerHead, packFrames, unpackFrames } from './wire-format';
import { Handles } from './handles';
import { MAX_CALLS_IN_FLIGHT } from './operation-server';
import { type OperationService, startOperationService } from './operation-service';
import { type Address, packSigned } from './signed-batch';

class EchoBody {
  @Text({ maxLength: 2_000_000 }) text!: string;
  @Int({ optional: true, maximum: 10_000_000 }) replyBytes?: number;
}

class EchoReply {
  @Text({ maxLength: 2_000_000 }) text!: string;
}

const common = { service: 'catalog', summary: 'For this spec', body: EchoBody, reply: EchoReply } as const;
const echo = internalOperation({ ...common, name: 'spec.echo' });
const refuse = internalOperation({ ...common, name: 'spec.refuse' });
const fail = internalOperation({ ...common, name: 'spec.fail' });
const hold = internalOperation({ ...common, name: 'spec.hold' });
const nobody = internalOperation({ ...common, name: 'spec.nobody' });

let held: { begun: number; release: () => void; released: Promise<void> };

@Controller()
class SpecHandlers {
  @Handles(echo)
  async echo({ body }: Call<typeof echo>): Promise<Answer<EchoReply>> {
    if (body.replyBytes !== undefined) return okJson(JSON.stringify({ text: 'x'.repeat(body.replyBytes) }));
    return ok({ text: body.text }, { etag: '"7"' });
  }

  @Handles(refuse)
  async refuse(): Promise<Answer<EchoReply>> {
    throw notFound('thing');
  }

  @Handles(fail)
  async fail(): Promise<Answer<EchoReply>> {
    throw new Error('SELECT secret FROM somewhere');
  }

  @Handles(hold)
  async hold({ body }: Call<typeof hold>): Promise<Answer<EchoReply>> {
    held.begun++;
    await held.released;
    return ok({ text: body.text });
  }
}

@Module({ controllers: [SpecHandlers] })
class SpecModule {}

const own = keysFor('operator');
const keys = keysFor('catalog');
let broker: TestBroker;
let connection: NatsConnection;
let bus: Bus;
let service: OperationService;

beforeAll(async () => {
  broker = await TestBroker.start();
  connection = await broker.connect('operator');
  bus = new Bus(connection, own);
});

afterAll(() => broker.stop());

async function serve(at = broker, operations?: Operation[]): Promise<OperationService> {
  const connection = await at.connect('catalog');
  return startOperationService({ service: 'catalog', module: SpecModule, connection, keys, operations });
}

beforeEach(async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  held = { begun: 0, release, released };
  service = await serve();
});

afterEach(async () => {
  held.release();
  await service.stop();
});

async function send(subject: string, data: string | Uint8Array, by: Caller = caller) {
  const { status, body } = answerOf(
    await request(subject, (reply) => callWith(data, { subject, reply }, by)),
  );
  return { status, body: JSON.parse(body) as { error?: string; text?: string } };
}

async function request(subject: string, made: (reply: string) => string | Uint8Array): Promise<Msg> {
  const reply = `_INBOX.operator.${uniqueTag()}.1`;
  const answer = new Promise<Msg>((resolve, reject) => {
    const callback = (error: Error | null, message: Msg): void => (error ? reject(error) : resolve(message));
    connection.subscribe(reply, { max: 1, timeout: 10_000, callback });
  });
  connection.publish(subject, made(reply), { reply });
  return answer;
}

function callWith(body: string | Uint8Array, address: Address, by: Caller, signing: CallKeys = own): Buffer {
  return packSigned([{ head: JSON.stringify({ caller: by }), body }], 'catalog', address, signing);
}

function answerOf({ data }: Msg): AnswerHead & { body: string } {
  const [frame] = unpackFrames(data);
  return { ...(JSON.parse(frame?.head ?? '{}') as AnswerHead), body: String(frame?.body) };
}

it('answers calls beyond its limit with a 503, and serves the others', async () => {
  const call = { caller, params: {}, queryString: '', headers: {}, body: Buffer.from('{"text":"a"}') };
  let answered = 0;
  const calls = Array.from({ length: MAX_CALLS_IN_FLIGHT + 88 }, async () => {
    const answer = await bus.forward(hold, call);
    answered++;
    return answer;
  });
  await eventually('the others have their answers', () => answered === 88);
  expect(held.begun).toBe(MAX_CALLS_IN_FLIGHT);
  held.release();
  const answers = await Promise.all(calls);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(MAX_CALLS_IN_FLIGHT);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused).toHaveLength(88);
  expect(refused[0]?.headers['retry-after']).toBe('1');
});

it("answers with the handler's result, including headers", async () => {
  const body = Buffer.from('{"text":"Grüße 😀"}');
  const answer = await bus.forward(echo, { caller, params: {}, queryString: '', headers: {}, body });
  expect(answer.status).toBe(200);
  expect(answer.headers).toEqual({ 'content-type': 'application/json; charset=utf-8', etag: '"7"' });
  expect(Buffer.from(answer.body).toString()).toBe('{"text":"Grüße 😀"}');
  expect(await bus.call(echo, caller, { text: 'b' })).toEqual({ text: 'b' });
});

it.each(['not json', '', '{', Buffer.from([0xff, 0xfe]), '[]', 'null', `{"text":"${'a'.repeat(500)}`])(
  'answers a body that is not a JSON object with a 400 and goes on: %p',
  async (data) => {
    expect(await send(subjectOf(echo), data)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    expect(await bus.call(echo, caller, { text: 'still there' })).toEqual({ text: 'still there' });
  },
);

it('answers a message without a valid signature with a 401', async () => {
  const frames = [{ head: JSON.stringify({ number: 7, caller }), body: '{"text":"a"}' }];
  expect(answerOf(await request(subjectOf(echo), () => packFrames(frames)))).toMatchObject({
    number: 7,
    status: 401,
  });
});

it('answers with a 403 when the sender may not call the operation for this caller', async () => {
  for (const kind of ['key', 'service', 'integration'] as const) {
    const other = { ...caller, kind, scopes: ALL_SCOPES };
    expect(await send(subjectOf(echo), '{"text":"a"}', other)).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope' },
    });
  }
});

it.each(['not frames', '', Buffer.alloc(8, 255), packFrames([{ head: 'not json', body: '' }])])(
  'answers a message that holds no call with a 401 and goes on: %p',
  async (data) => {
    const answer = answerOf(await request(subjectOf(echo), () => data));
    expect(answer).toMatchObject({ number: 0, status: 401 });
    expect(await bus.call(echo, caller, { text: 'still there' })).toEqual({ text: 'still there' });
  },
);

it.each([
  ['the directory', '$KV.directory.key.a'],
  ['the API of the broker', '$JS.API.STREAM.DELETE.EVENTS'],
  ['an operation', 'rpc.catalog.spec.other'],
  ['the events of another', 'events.plain.order-core'],
  ['a reply subject without a name', '_INBOX.x'],
  ['a reply subject of an unknown process', '_INBOX.stranger.a.1'],
  ['too many parts', '_INBOX.operator.a.b.c'],
])(
  'answers nothing to a reply subject that is not of a process, and does nothing: %s',
  async (_name, reply) => {
    const subject = subjectOf(hold);
    const received: string[] = [];
    const listening = connection.subscribe(reply, {
      callback: (_, message) => received.push(message.subject),
    });
    connection.publish(subject, callWith('{"text":"a"}', { subject, reply }, caller), { reply });
    expect(await bus.call(echo, caller, { text: 'after' })).toEqual({ text: 'after' });
    expect({ received, begun: held.begun }).toEqual({ received: [], begun: 0 });
    listening.unsubscribe();
  },
);

it('sends the calls of one tick in one message, and answers each', async () => {
  const messages: string[] = [];
  const listening = connection.subscribe('rpc.catalog.spec.*', {
    callback: (_, { subject }) => messages.push(subject),
  });
  const calls = Array.from({ length: 50 }, (_, index) => bus.call(echo, caller, { text: String(index) }));
  const refused = bus.call(refuse, caller, { text: 'a' }).catch((error: unknown) => error);
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => ({ text: String(index) })));
  expect(await refused).toMatchObject({ code: 'not_found' });
  expect(messages).toEqual([subjectOf(echo), subjectOf(refuse)]);
  listening.unsubscribe();
});

it('fails immediately when the broker does not permit the call', async () => {
  const core = new Bus(await broker.connectAs('order-core'), keysFor('order-core'));
  const startedAt = performance.now();
  await expect(core.call(echo, caller, { text: 'a' })).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(performance.now() - startedAt).toBeLessThan(5_000 * SLOWNESS);
});

it('ignores an answer to an unknown call', async () => {
  connection.publish(subjectOf(echo), 'not json');
  expect(await bus.call(echo, caller, { text: 'still there' })).toEqual({ text: 'still there' });
});

it('passes a refusal on to the caller unchanged', async () => {
  const thrown: unknown = await bus.call(refuse, caller, { text: 'a' }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Refused);
  expect(thrown).toMatchObject({
    code: 'not_found',
    message: 'There is no such thing in this organization.',
  });
});

it('hides internal errors from the caller', async () => {
  const { status, body } = await send(subjectOf(fail), '{"text":"a"}');
  expect(status).toBe(500);
  expect(body.error).toBe('internal_error');
  expect(JSON.stringify(body)).not.toContain('SELECT');
  await expect(bus.call(fail, caller, { text: 'a' })).rejects.toThrow(
    'the other service failed: internal_error',
  );
});

it('answers with a 500 when the reply is too large, and keeps serving', async () => {
  const counts = async (): Promise<Record<string, number>> => {
    const { values } = await repliesTooLarge.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels['operation']), value]));
  };
  const none = { [echo.name]: 0, [refuse.name]: 0, [fail.name]: 0, [hold.name]: 0 };
  expect(await counts()).toEqual(none);
  for (const replyBytes of [MAX_REPLY_BYTES, 2_097_152, 5_000_000]) {
    await expect(bus.call(echo, caller, { text: 'a', replyBytes })).rejects.toThrow('internal_error');
  }
  const { text } = await bus.call(echo, caller, { text: 'a', replyBytes: MAX_REPLY_BYTES - 100 });
  expect(text).toHaveLength(MAX_REPLY_BYTES - 100);
  expect(await counts()).toEqual({ ...none, [echo.name]: 3 });
});

it('accepts the largest body of the organization API', async () => {
  const text = 'x'.repeat(MAX_BODY_BYTES - '{"text":"","replyBytes":1}'.length);
  expect(await bus.call(echo, caller, { text, replyBytes: 1 })).toEqual({ text: 'x' });
});

it('refuses an oversized call as too large, not as unavailable', async () => {
  const thrown: unknown = await bus
    .call(echo, caller, { text: 'x'.repeat(2_200_000) })
    .catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Refused);
  expect(thrown).toMatchObject({ code: 'payload_too_large' });
});

it('fails immediately when no service handles the operation', async () => {
  const thrown: unknown = await bus.call(nobody, caller, { text: 'a' }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Unreachable);
  expect(thrown).toMatchObject({ code: 'service_unavailable' });
});

it('reports a timeout', async () => {
  const thrown: unknown = await bus.call(hold, caller, { text: 'a' }, 100).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Unreachable);
  expect(thrown).toMatchObject({ code: 'timeout' });
});

it('answers all calls in flight before it stops, and accepts no others', async () => {
  const calls = Array.from({ length: 20 }, (_, index) => bus.call(hold, caller, { text: String(index) }));
  await eventually('all calls are under way', () => held.begun === 20);
  let stopped = false;
  const stopping = service.stop().then(() => (stopped = true));
  await eventually('the service takes no more', async () => {
    const thrown: unknown = await bus.call(echo, caller, { text: 'x' }).catch((error: unknown) => error);
    return thrown instanceof Unreachable && thrown.code === 'service_unavailable';
  });
  expect(stopped).toBe(false);
  held.release();
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => ({ text: String(index) })));
  await stopping;
});

it('does not start a service that lacks a handler of its operations', async () => {
  await expect(serve(broker, [hold, listProducts])).rejects.toThrow('no handler for products.list');
});

it('distributes calls over the replicas of a service, each answered once', async () => {
  const second = await serve();
  held.release();
  const calls = Array.from({ length: 50 }, (_, index) => bus.call(hold, caller, { text: String(index) }));
  expect(await Promise.all(calls)).toHaveLength(50);
  expect(held.begun).toBe(50);
  await second.stop();
});

it('fails calls in flight within seconds when the broker is lost, and recovers with it', async () => {
  const other = await TestBroker.start();
  try {
    const client = new Bus(await other.connect('operator'), own);
    const slow = await serve(other);
    const startedAt = performance.now();
    const waiting = client.call(hold, caller, { text: 'a' }).catch((error: unknown) => error);
    await eventually('the call is under way', () => held.begun === 1);
    const ended = other.whileAway(() => waiting);
    expect(await ended).toMatchObject({ code: 'timeout' });
    expect(performance.now() - startedAt).toBeLessThan(6_000 * SLOWNESS);
    held.release();
    await eventually('it works again', () => client.call(echo, caller, { text: 'b' }).then(() => true));
    await slow.stop();
  } finally {
    await other.stop();
  }
}, 30_000);
