import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { Database, statement } from './database';
import { whenReachable } from './when-reachable';

const EMPTY = { schema: 'core', entities: [], migrations: [], poolSize: 1, applicationName: 'spec' };
const one = statement<{ one: number }, []>('spec_one', 'SELECT 1 AS one');

let test: TestDatabase;
let port: number;

beforeAll(async () => {
  test = await testDatabase({ schema: 'core', entities: [], migrations: [] });
});
beforeEach(async () => {
  const taken = await listenAt(0);
  ({ port } = taken.address() as AddressInfo);
  taken.close();
});
afterAll(() => test.close());

function elsewhere(changes: { port?: number; password?: string }): { databaseUrl: string } {
  const url = new URL(test.url);
  if (changes.port !== undefined) url.port = String(changes.port);
  if (changes.password !== undefined) url.password = changes.password;
  return { databaseUrl: url.href };
}

/** The server begins to listen on the port. */
async function listenAt(wanted: number): Promise<Server> {
  const { hostname, port: real } = new URL(test.url);
  const relay = createServer((inward) => {
    const outward = connect(Number(real), hostname);
    for (const socket of [inward, outward]) socket.on('error', () => undefined);
    inward.pipe(outward).pipe(inward);
  });
  relay.listen(wanted, '127.0.0.1');
  await once(relay, 'listening');
  return relay;
}

it('waits for a database that starts later', async () => {
  const connecting = () => Database.connect({ ...EMPTY, ...elsewhere({ port }) });
  const waiting = whenReachable(connecting);
  await expect(connecting()).rejects.toThrow(/ECONNREFUSED/);
  const relay = await listenAt(port);
  const database = await waiting;
  expect(await database.rows(one)).toEqual([{ one: 1 }]);
  await database.close();
  relay.close();
});

it('does not wait longer than the limit', async () => {
  await expect(
    whenReachable(() => Database.connect({ ...EMPTY, ...elsewhere({ port }) }), 0),
  ).rejects.toThrow(/ECONNREFUSED/);
});

it('does not wait when the database refuses', async () => {
  const refused = { ...EMPTY, ...elsewhere({ password: 'wrong' }) };
  await expect(whenReachable(() => Database.connect(refused))).rejects.toThrow(
    /password authentication failed/,
  );
});
