import { randomBytes } from 'node:crypto';
import { specDatabase } from '@offizin/testkit/database';
import { TooSlow, Unreachable } from '@offizin/contracts/calls/errors';
import { Database, statement } from './database';
import { timeJson } from './json-text';

const shown = statement<{ json: string }, [string]>(
  'spec_time_json',
  `SELECT ${timeJson('$1::timestamptz')} AS json`,
);

const EMPTY = { schema: 'core', entities: [], migrations: [] };

const test = specDatabase(EMPTY);

describe('a time as JSON text equals that of JSON.stringify', () => {
  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5+01:00', '2026-01-31T11:00:00.500Z'],
    ['2026-01-31T12:00:00.05Z', '2026-01-31T12:00:00.050Z'],
    ['2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T23:59:59.999999Z', '2026-01-31T23:59:59.999Z'],
  ])('%s, cut to milliseconds', async (given, at) => {
    expect(await test.database.rows(shown, given)).toEqual([{ json: JSON.stringify(at) }]);
  });
});

describe('columns that are read in pieces', () => {
  const NAMES = ['plain', "it's", 'back\\slash', '$1', "'; DROP TABLE core.files; --"];

  const insert = statement<never, [string, Buffer | null]>(
    'spec_file',
    'INSERT INTO core.files VALUES ($1, $2)',
  );
  const find = statement<never, [string]>('spec_bytes', 'SELECT content FROM core.files WHERE name = $1');
  const broken = statement<never, []>('spec_broken', 'SELECT content FROM core.no_such_table');
  const slow = statement<never, []>('spec_slow', "SELECT convert_to(pg_sleep(5)::text, 'UTF8')");
  const noLimit = statement<never, []>('spec_no_limit', 'SET statement_timeout = 0');
  const backends = statement<{ pid: number }, []>('spec_pid', 'SELECT pg_backend_pid() AS pid');

  let database: Database;

  beforeAll(async () => {
    database = await Database.connect({
      ...EMPTY,
      databaseUrl: test.url,
      poolSize: 1,
      applicationName: 'spec',
    });
    await database.dataSource.query('CREATE TABLE core.files (name text PRIMARY KEY, content bytea)');
  });

  afterAll(() => database.close());

  beforeEach(() => database.dataSource.query('TRUNCATE core.files'));

  async function read(name: string): Promise<{ isThere: boolean; content: Buffer; totals: Set<number> }> {
    const pieces: Buffer[] = [];
    const totals = new Set<number>();
    const isThere = await database.bytes(find, [name], async (piece, totalBytes) => {
      totals.add(totalBytes);
      // The buffer of a chunk may be reused, hence the copy.
      pieces.push(Buffer.from(piece));
    });
    return { isThere, content: Buffer.concat(pieces), totals };
  }

  it.each([0, 1, 100, 8_190, 65_536, 3_000_001])('reads %d bytes as they are stored', async (length) => {
    const stored = randomBytes(length);
    await database.rows(insert, 'a', stored);
    const { isThere, content, totals } = await read('a');
    expect(isThere).toBe(true);
    expect(content.equals(stored)).toBe(true);
    expect([...totals]).toEqual(length === 0 ? [] : [length]);
  });

  it('returns false for no row and for null', async () => {
    await database.rows(insert, 'empty', null);
    expect(await read('none')).toMatchObject({ isThere: false, content: Buffer.alloc(0) });
    expect(await read('empty')).toMatchObject({ isThere: false, content: Buffer.alloc(0) });
  });

  it('quotes its parameters', async () => {
    for (const name of NAMES) await database.rows(insert, name, Buffer.from(name));
    for (const name of NAMES) expect((await read(name)).content.toString()).toBe(name);
  });

  it('reuses its connection, also after a statement that the server refused', async () => {
    const [before] = await database.rows(backends);
    await expect(database.bytes(broken, [], async () => undefined)).rejects.toThrow(/no_such_table/);
    await database.rows(insert, 'a', randomBytes(300_000));
    for (let round = 0; round < 20; round++) expect((await read('a')).content).toHaveLength(300_000);
    expect(await database.rows(backends)).toEqual([before]);
  });

  it('fails at the statement timeout of the server', async () => {
    await expect(database.bytes(slow, [], async () => undefined)).rejects.toThrow(TooSlow);
    expect((await read('none')).isThere).toBe(false);
  });

  it('fails at its own timeout when the server does not answer', async () => {
    await database.rows(noLimit);
    await expect(database.bytes(slow, [], async () => undefined)).rejects.toThrow(Unreachable);
    expect((await read('none')).isThere).toBe(false);
  });

  it('discards its connection when the reader fails, and uses another one', async () => {
    await database.rows(insert, 'a', randomBytes(3_000_000));
    const [before] = await database.rows(backends);
    const failing = database.bytes(find, ['a'], () => Promise.reject(new Error('no more')));
    await expect(failing).rejects.toThrow('no more');
    expect((await read('a')).content).toHaveLength(3_000_000);
    expect(await database.rows(backends)).not.toEqual([before]);
  });

  it('reads many concurrently over few connections', async () => {
    const stored = Array.from({ length: 10 }, (_, n) => randomBytes(200_000 + n));
    for (const [n, content] of stored.entries()) await database.rows(insert, String(n), content);
    const found = await Promise.all(stored.map((_, n) => read(String(n))));
    expect(found.every(({ content }, n) => content.equals(stored[n] ?? Buffer.alloc(0)))).toBe(true);
  });
});
