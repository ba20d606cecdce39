import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { CommandLine, type CommandOutcome } from '@offizin/testkit/command-line';
import { CuttingProxy } from '@offizin/testkit/cutting-proxy';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';

/** Orders out of one organization and into another, with the real command. */
const platform = usePlatform();
let source: TestOrganization;
const folder = mkdtempSync(join(tmpdir(), 'offizin-orders-'));
const commandLine = new CommandLine(folder);
const ORDERS = 520;

beforeAll(async () => {
  source = await platform.organization();
  const orders = Array.from({ length: ORDERS }, (_, index) => orderOf(index));
  for (let first = 0; first < ORDERS; first += 260) {
    const body = { orders: orders.slice(first, first + 260) };
    const { results } = json<{ results: { status: string; order_id: string }[] }>(
      await source.api('POST', '/orders/batch', body),
    );
    expect(results.filter(({ status }) => status !== 'created')).toEqual([]);
    const patches = results.slice(0, 20).map(({ order_id }) => ({ order_id, status: 'shipped' }));
    await source.api('POST', '/orders/status/batch', { patches });
  }
}, 120_000);

/** Two lines each, so more than 1,000; some with what a spreadsheet, a comma or a quote could spoil. */
function orderOf(index: number): object {
  const items = [
    { p1_id: `P${index}`, name: `Öl "fein", ${index} ml`, qty: 1 + (index % 3), price: 4.55 },
    { name: index % 2 ? '=1+1' : 'Süßholz; lose', qty: 2, price: index / 100 },
  ];
  const special = [
    { customer_name: '=HYPERLINK("x")', address_phone: '+49 30 1', address_street: '-', total_amount: 3.5 },
    { customer_name: 'Jörg\nMüller', items: [], order_datetime: '2026-01-31T12:00:00Z' },
    { customer_name: "'=1+1", address_street: 'Hof; =1', address_city: '\u00a0@A1', address_phone: "''-1" },
    { shipping_option: 'Abholung', payment_status: 'paid', payment_reference: '@ref', order_number: '0012' },
    { customer_name: "'=1", address_street: ' Weg 1 ', order_datetime: '2026-01-31T12:00:00.123456Z' },
    { items: [{ qty: 2, price: 1.5 }], total_amount: 3 },
  ][index];
  const customer = { customer_name: `Kunde ${index}`, customer_email: `k${index}@mail.example` };
  return { shop_id: source.shops[0].shopId, external_id: `E-${index}`, ...customer, items, ...special };
}

function keyOf({ urls, apiKey }: TestOrganization, baseUrl = urls.baseUrl): Record<string, string> {
  return { OFFIZIN_BASE_URL: baseUrl, OFFIZIN_API_KEY: apiKey.text };
}

async function exported(of: TestOrganization, ...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await commandLine.run(['export-orders', ...options], keyOf(of));
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ orders, \d+ rows\n$/)]);
  return stdout;
}

/** Rows without the values that belong to one organization, sorted by order and line. */
function content(csv: string, delimiter = ','): string[] {
  const rows: Record<string, string>[] = parse(csv, { columns: true, bom: true, delimiter });
  return rows
    .map(({ order_id, shop_id, shop_name, created_at, updated_at, ...row }) => JSON.stringify(row))
    .sort();
}

interface Report {
  encoding: string;
  orders: number;
  created: number;
  updated: number;
  unchanged: number;
  status_changed: number;
  repeated: number;
  refused: number;
}

async function imported(
  into: TestOrganization,
  bytes: Buffer | string,
  ...options: string[]
): Promise<CommandOutcome & { report: Partial<Report> }> {
  const file = join(folder, 'in.csv');
  writeFileSync(file, bytes);
  const outcome = await commandLine.run(['import-orders', ...options, file], keyOf(into));
  return { ...outcome, report: outcome.stdout === '' ? {} : (JSON.parse(outcome.stdout) as Report) };
}

async function totalOf(organization: TestOrganization, query = ''): Promise<number> {
  const page = await organization.api('GET', `/orders?limit=1${query}`);
  return json<{ pagination: { total: number } }>(page).pagination.total;
}

describe('offizin export-orders and import-orders', () => {
  it('carry all orders into another organization, twice with the same effect as once', async () => {
    const target = await platform.organization();
    const shop = ['--shop', target.shops[0].shopId];
    const csv = await exported(source, '--sort', 'created_at');
    expect(csv.trimEnd().split('\r\n').length).toBeGreaterThan(1_000);

    const dryRun = await imported(target, csv, '--dry-run', ...shop);
    expect(dryRun.report).toEqual({ dry_run: true, encoding: 'utf-8', orders: ORDERS, refused: 0 });
    expect(await totalOf(target)).toBe(0);

    const first = await imported(target, csv, ...shop);
    expect([first.code, first.stderr]).toEqual([0, '']);
    const counts = { created: ORDERS, updated: 0, unchanged: 0, status_changed: 40, repeated: 0, refused: 0 };
    expect(first.report).toEqual({ encoding: 'utf-8', orders: ORDERS, ...counts });
    const after = await exported(target);
    expect(content(after)).toEqual(content(csv));

    const second = await imported(target, csv, ...shop);
    expect([second.code, second.report.repeated]).toEqual([0, ORDERS]);
    expect(await exported(target)).toBe(after);

    const again = await imported(target, csv, '--again', ...shop);
    expect(again.report).toMatchObject({ unchanged: ORDERS, created: 0, updated: 0, status_changed: 0 });
    expect(await exported(target)).toBe(after);
  }, 180_000);
});

describe('offizin import-orders', () => {
  const header = 'external_id;shop_id;status;line;product_name;quantity;unit_price';
  let target: TestOrganization;
  let shop: string;

  beforeAll(async () => {
    target = await platform.organization();
    shop = target.shops[0].shopId;
  });

  it('imports nothing of a file with a bad line, and with --skip-bad never a part of an order', async () => {
    const file = [
      header,
      `A;${shop};pending;1;Tee;1;1,50`,
      `A;${shop};pending;2;Kaffee;1.000;2`,
      `B;${shop};pending;1;Tee;1;1,50`,
      `C;${shop};pending;1;Tee;1;1`,
      `C;${shop};pending;3;Tee;1;1`,
      `D;${shop};pending;1;Tee;1;1`,
      `D;${shop};shipped;2;Tee;1;1`,
      `E;${shop};lost;1;Tee;1;1`,
      `F;;pending;1;Tee;1;1`,
      `G;${source.shops[0].shopId};pending;1;Tee;1;1`,
      '',
    ].join('\n');
    const refused = await imported(target, file);
    expect(refused).toMatchObject({ code: 1, report: { created: 0, refused: 6 } });
    expect(refused.stderr.split('\n')).toEqual([
      'line 3 (A): quantity: must be an integer',
      'line 5 (C): line: the order has the lines 1, 3: one is missing or occurs twice',
      'line 8 (D): status is not that of line 7, of the same order',
      expect.stringMatching(/^line 9 \(E\): status: must be one of /),
      expect.stringMatching(/^line 10 \(F\): shop_id: is missing/),
      expect.stringMatching(/^line 11 \(G\): shop_id: the organization of the key has no such shop/),
      'Nothing was imported. Correct these lines, or import the others with --skip-bad.',
      '',
    ]);
    expect(await totalOf(target)).toBe(0);
    const left = await imported(target, file, '--skip-bad');
    expect(left).toMatchObject({ code: 2, report: { orders: 1, created: 1, refused: 6 } });
    expect(await totalOf(target)).toBe(1);
    expect(await totalOf(target, '&external_id=B')).toBe(1);
  });

  it('refuses a file that was cut, wherever that was', async () => {
    const csv = await exported(source, '--status', 'shipped');
    const before = await totalOf(target);
    for (const missing of [1, 2, 3, 4, 40, 200]) {
      const { code, stdout } = await imported(
        target,
        csv.slice(0, -2 - missing),
        '--skip-bad',
        '--shop',
        shop,
      );
      expect([missing, code, stdout === '' || stdout.includes('"created": 0')]).toEqual([missing, 1, true]);
    }
    expect(await totalOf(target)).toBe(before);
  }, 60_000);

  it('states which orders the workflow does not let go back, and leaves them', async () => {
    const row = (status: string) => `${header}\nM;${shop};${status};1;Tee;1;1\n`;
    expect((await imported(target, row('shipped'))).report).toMatchObject({ created: 1, status_changed: 1 });
    const { code, stderr, report } = await imported(target, row('pending'));
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^line 2 \(M\): status: .* cannot become pending/),
    ]);
    expect(report).toMatchObject({ unchanged: 1, status_changed: 0, refused: 1 });
    expect(await totalOf(target, '&external_id=M&status=shipped')).toBe(1);
  });

  it('names the line of an order that is closed, and leaves it as it is', async () => {
    const row = (quantity: number) => `${header}\nN;${shop};shipped;1;Tee;${quantity};1\n`;
    expect((await imported(target, row(1))).code).toBe(0);
    const { code, stderr, report } = await imported(target, row(2));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^line 2 \(N\): The order is shipped: /)]);
    expect(report).toMatchObject({ updated: 0, refused: 1 });
    const { body } = await target.api('GET', '/orders?external_id=N');
    expect(body.toString()).toContain('"total_amount":1,');
  });

  it('goes on after a kill: every order once, with no change in vain', async () => {
    const other = await platform.organization();
    const rows = Array.from({ length: 2_500 }, (_, index) => `K-${index};;awaiting_packing;1;Tee;1;1,00`);
    const file = join(folder, 'killed.csv');
    writeFileSync(file, [header, ...rows, ''].join('\n'));
    const args = ['import-orders', '--shop', other.shops[0].shopId, file];
    const running = commandLine.start(args, keyOf(other));
    await eventually('the first orders', async () => (await totalOf(other)) > 0, 60_000);
    running.process.kill('SIGKILL');
    expect(await running.exitCode).toBeNull();

    const { code, stdout } = await commandLine.run(args, keyOf(other));
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ orders: 2_500, refused: 0 })]);
    expect(await totalOf(other, '&status=awaiting_packing')).toBe(2_500);
    const page = json<{ data: { id: string }[] }>(
      await other.api('GET', '/orders?limit=200&sort=created_at'),
    );
    for (const { id } of page.data.filter((_, index) => index % 40 === 0)) {
      const history = await other.api('GET', `/orders/${id}/history`);
      expect(json<{ data: unknown[] }>(history).data).toHaveLength(2);
    }
  }, 180_000);
});

describe('offizin export-orders', () => {
  const file = join(folder, 'out.csv');
  const exporting = (baseUrl: string, ...options: string[]) =>
    commandLine.run(['export-orders', '-o', file, ...options], keyOf(source, baseUrl));
  let proxy: CuttingProxy;

  beforeEach(async () => {
    writeFileSync(file, 'of yesterday');
    proxy = await CuttingProxy.start(source.urls.baseUrl, 50_000);
  });
  afterEach(async () => {
    await proxy.close();
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('replaces the file when all of it is there, for its owner only', async () => {
    proxy.cuts = 2;
    const { code, stdout } = await exporting(proxy.url);
    const text = readFileSync(file, 'utf8');
    expect(content(text)).toEqual(content(await exported(source)));
    const counts = { orders: ORDERS, rows: content(text).length, bytes: Buffer.byteLength(text) };
    expect([code, JSON.parse(stdout)]).toEqual([0, { file, ...counts }]);
    expect([proxy.made, statSync(file).mode & 0o777]).toEqual([2, 0o600]);
  }, 60_000);

  it('leaves the file of before when the answer breaks off each time, or a signal comes', async () => {
    proxy.cuts = 100;
    const { code, stdout, stderr } = await exporting(proxy.url, '--json');
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toMatchObject({ error: 'connection_failed' });
    proxy.isSilent = true;
    const cut = proxy.made;
    const running = commandLine.start(['export-orders', '-o', file], keyOf(source, proxy.url));
    await eventually('a part of the file', () => proxy.made > cut);
    await eventually('its draft', () => readdirSync(folder).some((name) => name.endsWith('.part')));
    running.process.kill('SIGINT');
    expect(await running.exitCode).toBe(130);
    expect(readFileSync(file, 'utf8')).toBe('of yesterday');
  }, 120_000);

  it('replaces nothing but a file', async () => {
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    for (const name of [pipe, folder]) {
      const { code, stderr } = await exporting(source.urls.baseUrl, '-o', name);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${name} is not a file`)]);
    }
    expect([statSync(pipe).isFIFO(), statSync(folder).isDirectory()]).toEqual([true, true]);
  }, 60_000);

  it('filters, and refuses what the list refuses', async () => {
    const { shopId } = source.shops[1];
    expect(content(await exported(source, '--shop', shopId))).toEqual([]);
    expect(content(await exported(source, '--external-id', 'E-7'))).toHaveLength(2);
    const foreign = (await platform.organization()).shops[0].shopId;
    for (const [options, said] of [
      [['--shop', foreign], 'There is no such shop'],
      [['--created-from', 'yesterday'], 'offizin: --created-from: must be an ISO 8601'],
      [['--status', 'lost'], 'Allowed choices are pending'],
      [['-o', join(folder, 'no', 'folder.csv')], 'no such file or directory'],
      [['-o', '/dev/full/x.csv'], 'not a directory'],
    ] as const) {
      const { code, stderr } = await exporting(source.urls.baseUrl, ...options);
      expect([code, stderr.split(said)]).toEqual([1, [expect.anything(), expect.anything()]]);
      expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b/);
      expect(stderr).toMatch(/\nHelp: offizin export-orders --help\n$/);
    }
    expect(readFileSync(file, 'utf8')).toBe('of yesterday');
  }, 120_000);
});
