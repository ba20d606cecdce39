import type { Caller } from '@offizin/contracts/caller';
import { Nested, QueryInteger, Text } from '@offizin/contracts/fields';
import { type Operation, operation, ok } from '@offizin/contracts/operation';
import { type ReceivedCall, refusalToWire, serveOperation, type WireAnswer } from './serve-operation';

const link = 'https://offizin.example.com/changes';
const deprecated = { since: '2027-02-01', sunset: '2028-02-01', link };
const older = { since: '2027-01-01', sunset: '2028-03-01', link };

class Row {
  @Text({ optional: true, deprecated }) old?: string;
  @Text({ optional: true }) text?: string;
}
class Body {
  @Nested(() => Row, { list: { maxItems: 3 } }) rows!: Row[];
}
class Query {
  @QueryInteger({ minimum: 1, maximum: 9, deprecated }) size: number = 5;
}
class Reply {
  @Text() text!: string;
}
const common = { name: 'spec.do', summary: 'For this spec', service: 'catalog', reply: Reply } as const;
const way = { ...common, access: 'orders.write', method: 'POST', path: '/spec' } as const;
const lasting = operation({ ...way, body: Body, query: Query });
const ending = operation({ ...way, body: Body, query: Query, deprecated: older });
const caller: Caller = {
  ...{ kind: 'key', orgId: 'o', shopId: null, actorId: 'k', scopes: ['orders.write'], requestId: 'r' },
};

const serve = (
  call: Partial<ReceivedCall>,
  op: Operation = lasting,
  around?: Parameters<typeof serveOperation>[3],
): Promise<WireAnswer> =>
  serveOperation(
    op,
    () => Promise.resolve(ok({ text: 'done' }, { etag: '"1"' })),
    { caller, params: {}, queryString: '', headers: {}, body: Buffer.from('{"rows":[]}'), ...call },
    around,
  );
const sunset = 'Tue, 01 Feb 2028 00:00:00 GMT';

it.each<[string, Partial<ReceivedCall>, number]>([
  ['a parameter', { queryString: 'size=3' }, 200],
  ['a parameter with a wrong value', { queryString: 'size=x' }, 400],
  ['a field in a list', { body: Buffer.from('{"rows":[{},{"old":"x"}]}') }, 200],
  ['a field with a wrong value', { body: Buffer.from('{"rows":[{"old":null}]}') }, 400],
  [
    'a field of a body that was parsed elsewhere',
    {
      body: Buffer.alloc(0),
      open: () =>
        Promise.resolve({ plain: { rows: [{ old: 'x' }] }, document: null, sha256: Buffer.from('hash') }),
    },
    200,
  ],
])('announces the end of %s that the request names', async (_, call, status) => {
  const answer = await serve(call);
  expect([answer.status, answer.headers['sunset']]).toEqual([status, sunset]);
  expect(answer.headers).toMatchObject({ deprecation: '@1801440000', link: `<${link}>; rel="deprecation"` });
});

it.each<[string, Partial<ReceivedCall>, number]>([
  ['nothing that ends', { body: Buffer.from('{"rows":[{"text":"x"}]}') }, 200],
  ['an unknown field', { body: Buffer.from('{"old":"x","rows":[]}') }, 400],
  ['no JSON', { body: Buffer.from('{"rows":[{"old":') }, 400],
  ['a field twice', { body: Buffer.from('{"rows":[{"old":"x","old":"y"}]}') }, 400],
])('announces nothing for %s', async (_, call, status) => {
  const answer = await serve(call);
  expect(answer.status).toBe(status);
  expect(Object.keys(answer.headers)).not.toContain('sunset');
});

it('keeps the headers of the handler, and the earliest days where the operation ends, too', async () => {
  const { headers } = await serve({ queryString: 'size=3' }, ending);
  expect(headers).toMatchObject({ etag: '"1"', deprecation: '@1798761600', sunset });
  expect((await serve({}, ending)).headers).not.toHaveProperty('sunset');
});

it('announces it on a repeated answer, whose body is not read again', async () => {
  const stored = refusalToWire(new Error('stored'));
  const answer = await serve({ queryString: 'size=3' }, lasting, () => Promise.resolve(stored));
  expect(answer.headers['sunset']).toBe(sunset);
  expect(stored.headers).not.toHaveProperty('sunset');
});

it('announces the end of a document that was taken out of the body', async () => {
  class WithDocument {
    @Nested(() => Row) payload!: Row;
  }
  const op = operation({ ...way, body: WithDocument, documentField: ['payload', 'old'] });
  const open = (document: Buffer | null) => () =>
    Promise.resolve({
      ...{ plain: { payload: {} }, sha256: Buffer.from('hash') },
      document: document && { ok: true as const, bytes: document, sha256: document, textDigest: '' },
    });
  const sunsetWith = async (document: Buffer | null): Promise<string | undefined> =>
    (await serve({ body: Buffer.alloc(0), open: open(document) }, op)).headers['sunset'];
  expect([await sunsetWith(Buffer.from('%PDF')), await sunsetWith(null)]).toEqual([sunset, undefined]);
});
