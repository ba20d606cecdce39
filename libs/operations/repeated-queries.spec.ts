import type { Caller } from '@offizin/contracts/caller';
import { type Answer, type Call, ok, operation } from '@offizin/contracts/operation';
import { CursorQuery } from '@offizin/contracts/paging';
import { serveOperation } from './serve-operation';

const list = operation({
  name: 'spec.list',
  summary: 'For this spec',
  service: 'catalog',
  access: 'anyone',
  method: 'GET',
  path: '/spec',
  query: CursorQuery,
});
const caller: Caller = {
  kind: 'service',
  orgId: '',
  shopId: null,
  actorId: 'spec',
  scopes: [],
  requestId: 'r',
};

async function serve(queryString: string, handler: (call: Call<typeof list>) => Promise<Answer<unknown>>) {
  const received = { caller, params: {}, queryString, headers: {}, body: Buffer.alloc(0) };
  const { status, body } = await serveOperation(list, handler, received);
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
