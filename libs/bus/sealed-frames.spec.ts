import { Controller, Module } from '@nestjs/common';
import type { Msg, NatsConnection } from 'nats';
import type { Caller } from '@offizin/contracts/caller';
import { Text } from '@offizin/contracts/fields';
import { type Answer, type Call, internalOperation, ok, subjectOf } from '@offizin/contracts/operation';
import { CallerTokens } from '@offizin/runtime/caller-token';
import { TestBroker } from '@offizin/testkit/broker';
import { Bus } from './bus';
import { type Frame, packFrames, unpackFrames } from './frames';
import { Handles } from './handles';
import type { AnswerHead } from './requests';
import { packSealed } from './sealed-frames';
import { type OperationService, startOperationService } from './service';

class EchoBody {
  @Text({ maxLength: 100 }) text!: string;
}

const common = { service: 'catalog', summary: 'For this spec', body: EchoBody, reply: EchoBody } as const;
const echo = internalOperation({ ...common, name: 'spec.sealed-echo' });
const other = internalOperation({ ...common, name: 'spec.sealed-other' });
/** Answered by a replica of the version before. */
const before = internalOperation({ ...common, name: 'spec.sealed-before' });

@Controller()
class SpecHandlers {
  @Handles(echo)
  async echo({ body, caller: { actorId } }: Call<typeof echo>): Promise<Answer<EchoBody>> {
    return ok({ text: `${actorId}: ${body.text}` });
  }

  @Handles(other)
  async other({ body }: Call<typeof other>): Promise<Answer<EchoBody>> {
    return ok({ text: body.text });
  }
}

@Module({ controllers: [SpecHandlers] })
class SpecModule {}

const SUBJECT = subjectOf(echo);
const WAIT = { timeout: 10_000 };
const tokens = new CallerTokens('s'.repeat(40));
let broker: TestBroker;
let connection: NatsConnection;
let service: OperationService;

beforeAll(async () => {
  broker = await TestBroker.start();
  connection = await broker.connect('caller');
  const own = await broker.connect('service');
  service = await startOperationService({ service: 'catalog', module: SpecModule, connection: own, tokens });
});

afterAll(async () => {
  await service.stop();
  await broker.stop();
});

afterEach(() => jest.useRealTimers());

function callerNamed(actorId: string): Caller {
  return { kind: 'service', orgId: '', shopId: null, actorId, scopes: [], requestId: 'r' };
}

function frameOf(number: number, caller: unknown, text = 'a'): Frame {
  return { head: JSON.stringify({ number, caller }), body: JSON.stringify({ text }) };
}

async function answersTo(message: Uint8Array): Promise<{ number: number; status: number; text: unknown }[]> {
  const { data } = await connection.request(SUBJECT, message, WAIT);
  const answers = unpackFrames(data).map(({ head, body }) => {
    const { number, status } = JSON.parse(head) as AnswerHead;
    return { number, status, text: (JSON.parse(body.toString()) as { text?: unknown }).text };
  });
  return answers.sort((one, other) => one.number - other.number);
}

/** What is heard on a subject while something is done. */
async function heardOn(subject: string, doing: () => Promise<unknown>): Promise<Record<string, unknown>[][]> {
  const heard: Record<string, unknown>[][] = [];
  const callback = (_: Error | null, { data }: Msg): void => {
    heard.push(unpackFrames(data).map(({ head }) => JSON.parse(head) as Record<string, unknown>));
  };
  const subscription = connection.subscribe(subject, { callback });
  await doing();
  subscription.unsubscribe();
  return heard;
}

it('takes the callers that a message under a seal names, each for its own call', async () => {
  const frames = [frameOf(1, callerNamed('one')), frameOf(2, callerNamed('two'), 'b')];
  expect(await answersTo(packSealed(frames, SUBJECT, tokens))).toEqual([
    { number: 1, status: 200, text: 'one: a' },
    { number: 2, status: 200, text: 'two: b' },
  ]);
});

it('takes a token beside the seal, too, and no forged one', async () => {
  const frames = [frameOf(1, tokens.sign(callerNamed('one'))), frameOf(2, 'forged.token')];
  const answers = await answersTo(packSealed(frames, SUBJECT, tokens));
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
});

it('refuses a caller that is only named', async () => {
  const frames = [frameOf(1, callerNamed('one'))];
  const seal = JSON.stringify({ seal: 'x'.repeat(43), atMs: Date.now() });
  for (const message of [packFrames(frames), packFrames([{ head: seal, body: '' }, ...frames])])
    expect(await answersTo(message)).toMatchObject([{ number: 1, status: 401 }]);
});

it('refuses every call of a message that was changed in any byte behind its seal', async () => {
  const frames = [frameOf(1, callerNamed('one')), frameOf(2, callerNamed('two'))];
  const message = packSealed(frames, SUBJECT, tokens);
  const first = unpackFrames(message)[0];
  const callsAt = 8 + Buffer.byteLength(first?.head ?? '');
  for (let at = callsAt; at < message.length; at++) {
    const changed = Buffer.from(message);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const answers = await answersTo(changed);
    expect({ at, taken: answers.filter(({ status }) => status < 300) }).toEqual({ at, taken: [] });
  }
});

it('refuses a call put behind, in front of or in the place of those that were sealed', async () => {
  const message = packSealed([frameOf(1, callerNamed('one'))], SUBJECT, tokens);
  const [seal, own] = unpackFrames(message);
  if (!seal || !own) throw new Error('a message without its frames');
  const further = frameOf(2, callerNamed('two'));
  for (const frames of [
    [seal, own, further],
    [seal, further, own],
    [seal, further],
    [seal, own, own],
  ]) {
    const answers = await answersTo(packFrames(frames));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  }
});

it('refuses what was sealed for another subject, or under another secret', async () => {
  const frames = [frameOf(1, callerNamed('one'))];
  const strangers = new CallerTokens('t'.repeat(40));
  for (const message of [
    packSealed(frames, subjectOf(other), tokens),
    packSealed(frames, SUBJECT, strangers),
  ])
    expect(await answersTo(message)).toMatchObject([{ status: 401 }]);
});

it('begins what was sealed within five seconds, as with a token', async () => {
  const frames = [frameOf(1, callerNamed('one'))];
  const statusAfter = async (agoMs: number): Promise<number | undefined> => {
    jest.useFakeTimers({ now: Date.now() - agoMs });
    const message = packSealed(frames, SUBJECT, tokens);
    jest.useRealTimers();
    return (await answersTo(message))[0]?.status;
  };
  expect(await statusAfter(4_000)).toBe(200);
  expect(await statusAfter(6_000)).toBe(503);
  expect(await statusAfter(36_000)).toBe(401);
});

it('answers a seal without a call behind it', async () => {
  expect(await answersTo(packSealed([], SUBJECT, tokens))).toMatchObject([{ number: 0, status: 400 }]);
});

it('signs each call until the service was heard to take seals, then one message of them', async () => {
  const bus = new Bus(connection, tokens);
  const call = (text: string): Promise<unknown> => bus.call(echo, callerNamed('one'), { text });
  const [first, second] = await heardOn(SUBJECT, async () => {
    await Promise.all([call('a'), call('b')]);
    expect(await Promise.all([call('c'), call('d')])).toEqual([{ text: 'one: c' }, { text: 'one: d' }]);
  });
  expect(first).toMatchObject([{ caller: expect.any(String) }, { caller: expect.any(String) }]);
  const named = { caller: { actorId: 'one' } };
  expect(second).toMatchObject([{ seal: expect.any(String) }, named, named]);
});

/** As the version before answers: it verifies the token in each head, and knows nothing else. */
function answerAsBefore(message: Msg): void {
  const answers = unpackFrames(message.data).map(({ head: text, body }) => {
    const { number = 0, caller } = JSON.parse(text) as { number?: number; caller?: unknown };
    let status = 200;
    try {
      tokens.verifyToBegin(typeof caller === 'string' ? caller : '');
    } catch {
      status = 401;
    }
    return { head: JSON.stringify({ number, status, headers: {} }), body };
  });
  message.respond(packFrames(answers));
}

it('sends again with tokens what a replica of the version before refused for its seal, and seals no more meanwhile', async () => {
  const bus = new Bus(connection, tokens);
  await bus.call(echo, callerNamed('one'), { text: 'a' });
  const callback = (_: Error | null, message: Msg): void => answerAsBefore(message);
  const replica = connection.subscribe(subjectOf(before), { callback });
  const call = (text: string): Promise<unknown> => bus.call(before, callerNamed('one'), { text });
  const heard = await heardOn(subjectOf(before), async () => {
    expect(await Promise.all([call('a'), call('b')])).toEqual([{ text: 'a' }, { text: 'b' }]);
    expect(await call('c')).toEqual({ text: 'c' });
  });
  replica.unsubscribe();
  const isSealed = heard.map(([first]) => first?.seal !== undefined);
  expect(isSealed[0]).toBe(true);
  expect(isSealed.slice(1)).not.toContain(true);
  expect(heard.slice(1).flat()).toHaveLength(3);
});
