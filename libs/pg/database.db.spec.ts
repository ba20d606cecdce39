import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TooSlow } from '@offizin/contracts/calls/errors';
import { specDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { Database, isUniqueViolation, statement } from './database';
import { whenReachable } from './when-reachable';

const EMPTY = { schema: 'core', entities: [], migrations: [] };

const insert = statement<never, [number]>('spec_insert', 'INSERT INTO core.spec (id) VALUES ($1)');
const ids = statement<{ id: number }, []>('spec_ids', 'SELECT id FROM core.spec ORDER BY id');
const pid = statement<{ pid: number }, []>('spec_pid', 'SELECT pg_backend_pid() AS pid');
const kill = statement<never, [number]>('spec_kill', 'SELECT pg_terminate_backend($1)');
const nap = statement<never, [number]>('spec_nap', 'SELECT pg_sleep($1)');
const shortTime = statement<never, []>('spec_short_time', 'SET LOCAL statement_timeout = 50');
const broken = statement<never, []>('spec_broken', 'SELECT * FROM core.no_such_table');

const test = specDatabase(EMPTY);
let database: Database;

beforeAll(async () => {
  database = test.database;
  await database.dataSource.query('CREATE TABLE core.spec (id int CONSTRAINT spec_pkey PRIMARY KEY)');
});

beforeEach(() => database.dataSource.query('TRUNCATE core.spec'));

async function stored(): Promise<number[]> {
  return (await database.rows(ids)).map(({ id }) => id);
}

async function openSmall(poolSize: number, databaseUrl = test.url): Promise<Database> {
  return Database.connect({ ...EMPTY, databaseUrl, poolSize, applicationName: 'spec' });
}

it('rolls back when the work throws, and rethrows its error', async () => {
  const reason = new Error('changed my mind');
  const work = database.transaction(async (tx) => {
    await tx.rows(insert, 1);
    throw reason;
  });
  await expect(work).rejects.toBe(reason);
  expect(await stored()).toEqual([]);
});

it('rolls back when a statement is refused, and reuses the connection', async () => {
  const small = await openSmall(1);
  const [before] = await small.rows(pid);
  const work = small.transaction(async (tx) => {
    await tx.rows(insert, 1);
    await tx.rows(broken);
  });
  await expect(work).rejects.toThrow('core.no_such_table');
  expect(await stored()).toEqual([]);
  expect(await small.rows(pid)).toEqual([before]);
  await small.close();
});

it('discards a connection that broke in a transaction', async () => {
  const small = await openSmall(1);
  const [before] = await small.rows(pid);
  const work = small.transaction(async (tx) => {
    await tx.rows(insert, 1);
    await database.rows(kill, before?.pid ?? 0);
    await tx.rows(insert, 2);
  });
  await expect(work).rejects.toThrow();
  expect(await stored()).toEqual([]);
  expect(await small.rows(pid)).not.toEqual([before]);
  await small.transaction((tx) => tx.rows(insert, 3));
  expect(await stored()).toEqual([3]);
  await small.close();
});

it('survives when the server closes idle connections', async () => {
  const small = await openSmall(1);
  const [before] = await small.rows(pid);
  await database.rows(kill, before?.pid ?? 0);
  await eventually('a new connection', async () => (await small.rows(pid))[0]?.pid !== before?.pid);
  await small.close();
});

it('gives up a statement after 5 s', async () => {
  const startedAt = performance.now();
  await expect(database.rows(nap, 20)).rejects.toBeInstanceOf(TooSlow);
  expect(performance.now() - startedAt).toBeLessThan(6_500 * SLOWNESS);
});

it('rolls back a transaction whose statements together exceed its timeout', async () => {
  const small = await openSmall(1);
  let ran = 0;
  const work = small.transaction(async (tx) => {
    for (let id = 1; id <= 100; id++) {
      await tx.rows(insert, id);
      await tx.rows(nap, 0.05);
      ran = id;
    }
  }, 500);
  await expect(work).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(ran).toBeGreaterThan(0);
  expect(ran).toBeLessThan(11);
  await small.transaction((tx) => tx.rows(insert, 1_000));
  expect(await stored()).toEqual([1_000]);
  await small.close();
});

it('commits nothing after the deadline of a transaction', async () => {
  const work = database.transaction(async (tx) => {
    await tx.rows(insert, 1);
    await database.rows(nap, 0.2);
  }, 100);
  await expect(work).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await stored()).toEqual([]);
});

it('gives up a transaction after 5 s on a connection whose packets are dropped', async () => {
  const wire = await Wire.to(Number(new URL(test.url).port));
  const url = new URL(test.url);
  url.port = String(wire.port);
  const small = await openSmall(1, url.toString());
  await small.ping();
  const startedAt = performance.now();
  const work = small.transaction(async (tx) => {
    await tx.rows(insert, 1);
    wire.silent = true;
    await tx.rows(insert, 2);
  });
  await expect(work).rejects.toMatchObject({
    code: 'service_unavailable',
    cause: { message: expect.stringMatching(/timeout/) },
  });
  expect(performance.now() - startedAt).toBeLessThan(6_500 * SLOWNESS);
  wire.silent = false;
  await small.transaction((tx) => tx.rows(insert, 3));
  wire.cut();
  await eventually('the server has noticed', async () => (await stored()).join() === '3');
  await small.close();
  await wire.close();
});

it('recognises a violated unique constraint by name', async () => {
  await database.rows(insert, 1);
  const error: unknown = await database.rows(insert, 1).catch((thrown: unknown) => thrown);
  expect(isUniqueViolation(error, 'spec_pkey')).toBe(true);
  expect(isUniqueViolation(error, 'another')).toBe(false);
  for (const other of [new Error('x'), null, 'text', { code: '23505' }]) {
    expect(isUniqueViolation(other, 'spec_pkey')).toBe(false);
  }
});

/** Can drop packets silently, as a firewall does. */
class Wire {
  silent = false;
  private readonly sockets: Socket[] = [];

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async to(target: number): Promise<Wire> {
    const server = createServer();
    const wire = new Wire(server, await listenOnLoopback(server));
    server.on('connection', (near) => {
      const far = connect(target, '127.0.0.1');
      wire.sockets.push(near, far);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on('data', (chunk) => {
          if (!wire.silent) to.write(chunk);
        });
        from.on('error', () => undefined);
        from.on('close', () => to.destroy());
      }
    });
    return wire;
  }

  cut(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }
}

it('rejects a slow statement with TooSlow and stays usable', async () => {
  const slow = database.transaction(async (tx) => {
    await tx.rows(insert, 1);
    await tx.rows(shortTime);
    await tx.rows(nap, 5);
  });
  await expect(slow).rejects.toMatchObject({ name: 'Unreachable', code: 'service_unavailable' });
  await expect(slow).rejects.toBeInstanceOf(TooSlow);
  expect(await stored()).toEqual([]);
});

it.each(['53100', '53200', '58030'])(
  'a server without room (%s) is a 503, and the connection stays',
  async (code) => {
    const exhausted = statement<never, []>(
      `spec_exhausted_${code}`,
      `DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '${code}'; END $$`,
    );
    const refused = {
      name: 'Unreachable',
      code: 'service_unavailable',
      message: expect.stringMatching(/out of space or memory/),
    };
    await expect(database.rows(exhausted)).rejects.toMatchObject(refused);
    await expect(database.transaction((tx) => tx.rows(exhausted))).rejects.toMatchObject(refused);
  },
);

describe('a process that was paused', () => {
  /** Blocks the thread as SIGSTOP would: no timer runs. */
  function standStill(): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  }

  it('refuses statements and transactions after a pause, and runs later ones', async () => {
    await database.rows(ids);
    let isBegun = false;
    standStill();
    const late = [
      database.rows(insert, 1),
      database.transaction((tx) => {
        isBegun = true;
        return tx.rows(insert, 2);
      }),
    ];
    const outcomes = await Promise.allSettled(late);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(outcomes[0]).toMatchObject({ reason: { code: 'service_unavailable' } });
    expect(isBegun).toBe(false);
    await database.rows(insert, 3);
    expect(await stored()).toEqual([3]);
  }, 30_000);
});

describe('a database that starts later', () => {
  const one = statement<{ one: number }, []>('spec_one', 'SELECT 1 AS one');

  let port: number;

  beforeEach(async () => {
    const taken = await listenAt(0);
    ({ port } = taken.address() as AddressInfo);
    taken.close();
  });

  function connectTo(changes: { port?: number; password?: string }): Promise<Database> {
    const url = new URL(test.url);
    if (changes.port !== undefined) url.port = String(changes.port);
    if (changes.password !== undefined) url.password = changes.password;
    return openSmall(1, url.href);
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
    const connecting = () => connectTo({ port });
    const waiting = whenReachable(connecting);
    await expect(connecting()).rejects.toThrow(/ECONNREFUSED/);
    const relay = await listenAt(port);
    const found = await waiting;
    expect(await found.rows(one)).toEqual([{ one: 1 }]);
    await found.close();
    relay.close();
  });

  it('does not wait longer than the limit', async () => {
    await expect(whenReachable(() => connectTo({ port }), 0)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('does not wait when the database refuses', async () => {
    await expect(whenReachable(() => connectTo({ password: 'wrong' }))).rejects.toThrow(
      /password authentication failed/,
    );
  });
});
