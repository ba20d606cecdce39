import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused, TooSlow } from '@offizin/contracts/calls/errors';
import { Text } from '@offizin/contracts/calls/fields';
import {
  type Answer,
  type Call,
  internalOperation,
  ok,
  okPieces,
  type Operation,
  operation,
} from '@offizin/contracts/calls/operation';
import { getOrder, listOrders } from '@offizin/contracts/orders/orders';
import { CursorQuery } from '@offizin/contracts/calls/paging';
import {
  ANSWER_WITHIN_MS,
  answerByDeadline,
  type OperationHandler,
  type ReceivedCall,
  serveOperation,
  type WireAnswer,
} from './serve-operation';

class Body {
  @Text({ optional: true }) text?: string;
}

const common = { name: 'spec.do', summary: 'For this spec', service: 'order-core', body: Body } as const;
const outside = operation({ ...common, access: 'orders.write', method: 'POST', path: '/spec', reply: Body });
const connector = operation({ ...common, access: 'connector', method: 'POST', path: '/spec', reply: Body });
const internal = internalOperation({ ...common, reply: Body });
const caller: Caller = {
  kind: 'key',
  orgId: 'o',
  shopId: null,
  actorId: 'k',
  scopes: ['orders.write'],
  requestId: 'r',
};

const never: OperationHandler = () => new Promise(() => undefined);

function received(fields: Partial<ReceivedCall> = {}): ReceivedCall {
  return { caller, params: {}, queryString: '', headers: {}, body: Buffer.from('{"text":"a"}'), ...fields };
}

function read({ status, body }: WireAnswer): { status: number; error?: string; text?: string } {
  return { status, ...(JSON.parse(Buffer.from(body).toString()) as object) };
}

it.each([
  ['unauthorized', 'key', 'Bearer error="invalid_token"'],
  ['insufficient_scope', 'key', 'Bearer error="insufficient_scope"'],
  ['insufficient_scope', 'staff', undefined],
  ['not_found', 'key', undefined],
] as const)('answers %s of a handler to a %s with the challenge %s', async (code, kind, challenge) => {
  const handler: OperationHandler = () => Promise.reject(new Refused(code, 'No.'));
  const { headers } = await serveOperation(outside, handler, received({ caller: { ...caller, kind } }));
  expect(headers['www-authenticate']).toBe(challenge);
});

describe('a handler that does not end', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['performance'] }));
  afterEach(() => jest.useRealTimers());

  async function answered(op: Operation, as: Caller): Promise<WireAnswer | null> {
    let answer: WireAnswer | null = null;
    void serveOperation(op, never, received({ caller: as })).then((given) => (answer = given));
    await jest.advanceTimersByTimeAsync(ANSWER_WITHIN_MS);
    return answer;
  }

  it('gets a 503, and a 502 for a connector call', async () => {
    const api = await answered(outside, caller);
    expect(api && read(api)).toMatchObject({ status: 503, error: 'service_unavailable' });
    expect(api?.headers['retry-after']).toBe('1');
    const partner = await answered(connector, { ...caller, kind: 'integration', shopId: 's', scopes: [] });
    expect(partner && read(partner)).toMatchObject({ status: 502, error: 'core_unreachable' });
  });

  it('has no deadline for internal calls', async () => {
    expect(await answered(internal, { ...caller, kind: 'service', scopes: [] })).toBeNull();
  });

  it('keeps the wrapper of the call until it ends, so its Idempotency-Key stays taken', async () => {
    let end: () => void = () => undefined;
    const handler = () =>
      new Promise<ReturnType<typeof ok>>((resolve) => (end = () => resolve(ok({ text: 'done' }))));
    const kept: WireAnswer[] = [];
    const answering = serveOperation(outside, handler, received(), async (_op, _call, run) => {
      const answer = await run();
      kept.push(answer);
      return answer;
    });
    await jest.advanceTimersByTimeAsync(ANSWER_WITHIN_MS);
    expect((await answering).status).toBe(503);
    expect(kept).toEqual([]);
    end();
    await jest.advanceTimersByTimeAsync(0);
    expect(kept.map(read)).toEqual([{ status: 200, text: 'done' }]);
  });
});

describe('a body that is opened elsewhere', () => {
  const echo: OperationHandler = ({ body, documents }) =>
    Promise.resolve(ok({ ...body, documents: documents?.size }));
  const opened = { plain: { text: 'b' }, documents: new Map() };

  it('replaces the bytes for the handler and the wrapper', async () => {
    let seen: ReceivedCall | null = null;
    const call = received({ body: Buffer.alloc(0), open: () => Promise.resolve(opened) });
    const answer = await serveOperation(outside, echo, call, (_op, given, run) => {
      seen = given;
      return run();
    });
    expect(read(answer)).toEqual({ status: 200, text: 'b', documents: 0 });
    expect(seen).toMatchObject({ opened });
  });

  it('is refused like a body that is read here', async () => {
    const open = () => Promise.reject(new Refused('invalid_request', 'The body is not valid JSON.'));
    expect(read(await serveOperation(outside, echo, received({ open })))).toMatchObject({ status: 400 });
  });

  it('is not opened for a caller without the right', async () => {
    let opens = 0;
    const open = () => {
      opens += 1;
      return Promise.resolve(opened);
    };
    const stranger = received({ open, caller: { ...caller, scopes: [] } });
    expect(read(await serveOperation(outside, echo, stranger))).toMatchObject({ status: 403 });
    expect(opens).toBe(0);
  });
});

it('may need another scope of a person than of a key', async () => {
  const log = { ...outside, access: 'settings.read', roleScope: 'audit.read' } as const;
  const status = async (kind: 'key' | 'staff', scope: 'settings.read' | 'audit.read') => {
    const as = { ...caller, kind, scopes: [scope] };
    return (await serveOperation(log, () => Promise.resolve(ok({})), received({ caller: as }))).status;
  };
  expect([await status('key', 'settings.read'), await status('key', 'audit.read')]).toEqual([200, 403]);
  expect([await status('staff', 'audit.read'), await status('staff', 'settings.read')]).toEqual([200, 403]);
});

it('makes the first of its pieces before the answer begins, and none for a HEAD', async () => {
  const taken: string[] = [];
  const file = (failing: boolean): OperationHandler => {
    const texts = (async function* pieces(): AsyncGenerator<string, undefined> {
      taken.push('first');
      if (failing) throw new Error('no audit entry');
      yield await Promise.resolve('a');
      yield 'b';
    })();
    const pieces = { next: () => texts.next(), return: () => texts.return(undefined) };
    return () => Promise.resolve(okPieces(pieces, { 'content-disposition': 'attachment' }));
  };
  const failed = await serveOperation(outside, file(true), received());
  expect([failed.status, failed.pieces, failed.headers['content-disposition']]).toEqual([
    500,
    undefined,
    undefined,
  ]);
  const { pieces } = await serveOperation(outside, file(false), received());
  expect([await pieces?.next(), await pieces?.next(), await pieces?.next()]).toEqual([
    { value: 'a', done: false },
    { value: 'b', done: false },
    { value: undefined, done: true },
  ]);
  taken.length = 0;
  await serveOperation(outside, file(true), { ...received(), isHead: true });
  expect(taken).toEqual([]);
});

it('states what to narrow when the database took too long', async () => {
  const tooSlow: OperationHandler = () => Promise.reject(new TooSlow());
  const narrow = 'Ask for a shorter period.';
  const known = await serveOperation({ ...outside, narrow }, tooSlow, received());
  expect(JSON.parse(String(known.body))).toEqual({
    error: 'service_unavailable',
    message: 'The database did not finish this request in time. Ask for a shorter period.',
  });
  expect([known.status, known.headers['retry-after']]).toEqual([503, '1']);
  const other = await serveOperation(outside, tooSlow, received());
  expect(String(other.body)).toContain('did not finish this request in time. Try again in a moment.');
  const partner = { ...caller, kind: 'integration', shopId: 's', scopes: [] } as const;
  const answer = await serveOperation(connector, tooSlow, received({ caller: partner }));
  expect(read(answer)).toMatchObject({ status: 502, error: 'core_unreachable' });
});

it('refuses a body with more values than the operation accepts', async () => {
  const handler: OperationHandler = () => Promise.resolve(ok({}));
  const few = { ...outside, maxBodyValues: 2 };
  expect((await serveOperation(few, handler, received())).status).toBe(200);
  const body = Buffer.from('{"text":"a","other":"b","third":"c"}');
  const answer = await serveOperation(few, handler, received({ body }));
  expect(read(answer)).toMatchObject({ status: 400, message: 'The body holds more than 2 values.' });
});

describe('repeated queries', () => {
  const list = operation({
    name: 'spec.list',
    summary: 'For this spec',
    service: 'catalog',
    access: 'anyone',
    method: 'GET',
    path: '/spec',
    query: CursorQuery,
  });
  const service: Caller = { ...caller, kind: 'service', orgId: '', actorId: 'spec', scopes: [] };

  async function serve(queryString: string, handler: (call: Call<typeof list>) => Promise<Answer<unknown>>) {
    const call = received({ caller: service, queryString, body: Buffer.alloc(0) });
    const { status, body } = await serveOperation(list, handler, call);
    return { status, body: JSON.parse(String(body)) as Record<string, unknown> };
  }

  const echo = ({ query }: Call<typeof list>): Promise<Answer<unknown>> => Promise.resolve(ok(query));

  it('answers a repeated query string as the first time, and others separately', async () => {
    for (const [queryString, query] of [
      ['limit=5', { limit: 5 }],
      ['', { limit: 50 }],
      ['limit=5&offset=7', { limit: 5, offset: 7 }],
      ['limit=5', { limit: 5 }],
    ] as const) {
      expect(await serve(queryString, echo)).toEqual({ status: 200, body: query });
    }
    for (const attempt of [1, 2]) {
      expect({ attempt, ...(await serve('limit=0', echo)) }).toMatchObject({ attempt, status: 400 });
      expect({ attempt, ...(await serve('size=5', echo)) }).toMatchObject({ attempt, status: 400 });
    }
  });

  it('protects the cached query from changes by a handler', async () => {
    const greedy = async ({ query }: Call<typeof list>): Promise<Answer<unknown>> => {
      query.limit = 1_000_000;
      return ok(query);
    };
    expect((await serve('offset=3', greedy)).status).toBe(500);
    expect((await serve('offset=3', echo)).body).toEqual({ limit: 50, offset: 3 });
  });
});

describe('work with a deadline', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('returns the answer of work that ends in time, and leaves no timer', async () => {
    expect(await answerByDeadline(Promise.resolve('done'), () => 'late')).toBe('done');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('reports the answer of late work only', async () => {
    const ended: string[] = [];
    const note = (answer: string): void => void ended.push(answer);
    await answerByDeadline(Promise.resolve('in time'), () => 'late', note);
    let end: (answer: string) => void = () => undefined;
    const answered = answerByDeadline(
      new Promise<string>((resolve) => (end = resolve)),
      () => 'late',
      note,
      10,
    );
    await jest.advanceTimersByTimeAsync(10);
    expect(await answered).toBe('late');
    expect(ended).toEqual([]);
    end('after all');
    await jest.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['after all']);
  });

  it('swallows a late failure', async () => {
    let fail: (error: Error) => void = () => undefined;
    const answered = answerByDeadline(
      new Promise<string>((_, reject) => (fail = reject)),
      () => 'late',
      undefined,
      10,
    );
    await jest.advanceTimersByTimeAsync(10);
    fail(new Error('this is never reported'));
    expect(await answered).toBe('late');
  });

  it('rethrows an error that occurs in time', async () => {
    await expect(answerByDeadline(Promise.reject(new Error('no')), () => 'late')).rejects.toThrow('no');
  });
});

it.each([
  ['foo=1', getOrder, 'foo: is not a known query parameter: this operation takes none'],
  ['foo=1', listOrders, /^foo: is not a known query parameter: send any of status, .*external_id, .*cursor/],
  ['limit=9007199254740992', listOrders, 'limit: must be at most 200'],
] as const)('answers the query %s with what to send', async (queryString, op, message) => {
  const reader: Caller = { ...caller, scopes: ['orders.read'] };
  const call = received({ caller: reader, queryString, body: Buffer.alloc(0) });
  const said = JSON.parse(Buffer.from((await serveOperation(op, never, call)).body).toString()) as object;
  expect(said).toMatchObject({ message: expect.stringMatching(message) });
});
