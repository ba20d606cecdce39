import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@offizin/bus/connection';
import { buildEvent, timedEvent } from '@offizin/events/outbox';
import { queryAt } from '@offizin/local-stack/database-client';
import { CommandLine, installationVariables, type RunningCommand } from '@offizin/testkit/command-line';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { http, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { verifyWebhook } from '../../../clients/typescript/src/verify-webhook';

/** The operator's command line as a separate process, against the running stack. */
const platform = usePlatform();
let organization: TestOrganization;
const folder = mkdtempSync(join(tmpdir(), 'offizin-command-line-'));
const commandLine = new CommandLine(folder);
const environment = testEnvironment();

beforeAll(async () => {
  organization = await platform.organization();
});

function offizin(args: string[], variables: Record<string, string> = {}): RunningCommand {
  return commandLine.start(args, variables);
}

describe('offizin listen', () => {
  it('prints verified events, refuses a forged one, and leaves no subscription behind', async () => {
    const listening = offizin([
      'listen',
      '--base-url',
      organization.urls.baseUrl,
      '--api-key',
      organization.apiKey.text,
      '--events',
      'order_created,order_status_updated',
      '--json',
    ]);
    try {
      const url = await eventually(
        'the listener',
        () => /Listening as (\S+)\./.exec(listening.output())?.[1],
      );
      const body = { shop_id: organization.shops[0].shopId, external_id: uniqueTag() };
      const created = json<{ id: string }>(await organization.api('POST', '/orders', body));
      await organization.api('PATCH', `/orders/${created.id}/status`, { status: 'shipped' });
      await eventually('both events', () => listening.output().split(created.id).length > 2);
      expect(listening.output()).toMatch(/"order_created".*\n.*"order_status_updated"/);

      const forged = await http(url, { method: 'POST', body: { id: 'made up' } });
      expect(forged.status).toBe(401);
      await eventually('the refusal in print', () => listening.output().includes('REFUSED'));
    } finally {
      listening.process.kill('SIGINT');
    }
    expect(await listening.exitCode).toBe(0);
    const left = json<{ data: unknown[] }>(await organization.api('GET', '/webhooks'));
    expect(left.data).toEqual([]);
  });

  it('hands deliveries on with their signatures, and answers as the receiver does', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.status = 503;
    const listening = offizin([
      'listen',
      '--base-url',
      organization.urls.baseUrl,
      '--api-key',
      organization.apiKey.text,
      '--events',
      'order_created',
      '--forward-to',
      receiver.url,
    ]);
    try {
      const secret = await eventually(
        'the secret in print',
        () => /with the secret (\S+)/.exec(listening.output())?.[1],
      );
      const body = { shop_id: organization.shops[0].shopId, external_id: uniqueTag() };
      const { id } = json<{ id: string }>(await organization.api('POST', '/orders', body));
      const delivered = await receiver.waitFor(({ metadata }) => metadata['order_id'] === id);
      expect(verifyWebhook(delivered.body, delivered.headers, secret).event_type).toBe('order_created');
      await eventually('the answer in print', () => listening.output().includes(`${receiver.url}: 503`));

      receiver.status = 204;
      await receiver.waitFor(() => receiver.received.length > 1, 20_000);
      await receiver.close();
      await organization.api('POST', '/orders', { ...body, external_id: uniqueTag() });
      await eventually('the lack of an answer in print', () =>
        /no answer, .*ECONNREFUSED/.test(listening.output()),
      );
    } finally {
      listening.process.kill('SIGINT');
    }
    expect(await listening.exitCode).toBe(0);
  });
});

describe('offizin set-aside', () => {
  interface Entry {
    service: string;
    id: string;
    kind: string;
    subject: string;
    bytes: number;
  }
  const text = async (args: string[]): Promise<string> => {
    const { exitCode, output } = offizin(['set-aside', ...args], installationVariables());
    expect(await exitCode).toBe(0);
    return output();
  };
  const listed = async (subject: string): Promise<Entry[]> =>
    (await text([]))
      .split('\n')
      .filter((line) => line.includes(subject))
      .map((line) => JSON.parse(line) as Entry);

  it('lists a malformed message, shows its bytes, gives it back and drops it', async () => {
    const subject = `events.plain.spec-${uniqueTag()}`;
    const connection = await connectBus({ ...environment, name: 'operator' });
    await connection.jetstream().publish(subject, Buffer.from('\0{'));
    await connection.close();
    const [entry] = await eventually('it is set aside', async () => {
      const found = await listed(subject);
      return found.length > 0 && found;
    });
    expect(entry).toMatchObject({ service: 'webhook-worker', kind: 'message', subject, bytes: 2 });
    const id = entry?.id ?? '';
    expect(await text(['show', id])).toBe('\0{');
    expect(await text(['show', id, '--no-json'])).toBe('\\u0000{\n');
    expect(await text(['give-back', id])).toContain(`"given_back": [\n    "${id}"`);
    // It is as malformed as before, so it comes back under the same id.
    await eventually('it is set aside again', async () => (await listed(subject))[0]?.id === id);
    expect(await text(['drop', id])).toContain('{"dropped":1}');
    expect(await listed(subject)).toEqual([]);
  }, 60_000);

  it('gives an outbox row back to its outbox, and the event arrives', async () => {
    const event = timedEvent(
      buildEvent({
        orgId: organization.orgId,
        eventType: 'inventory_low',
        aggregateId: uniqueTag(),
        sequence: 1,
        topic: 'plain',
        title: 'Stock is low',
        description: 'Few are left.',
        metadata: { p1_id: 'P1', stock_quantity: 1, low_stock_threshold: 2 },
      }),
      new Date(),
    );
    const { id, orgId: org_id, eventType: event_type, aggregateId: aggregate_id, ...others } = event;
    const row = Buffer.from(JSON.stringify({ id, org_id, event_type, aggregate_id, ...others }));
    await queryAt(
      environment.databaseUrls.catalog,
      `INSERT INTO catalog.set_aside (id, kind, subject, event_id, reason, content)
       VALUES ('outbox ${id}', 'outbox', 'plain', '${id}', 'spec', '\\x${row.toString('hex')}')`,
    );
    expect(await text(['give-back', `outbox ${id}`])).toContain('"unknown": []');
    await eventually('the event in the feed', async () => {
      const feed = await organization.api('GET', '/events?limit=200');
      return feed.body.toString().includes(id);
    });
    const { exitCode } = offizin(['set-aside', 'give-back', 'nothing'], installationVariables());
    expect(await exitCode).toBe(2);
  }, 60_000);
});

describe('offizin doctor', () => {
  it('finds a healthy installation healthy, but for the durability that the database of tests lacks', async () => {
    const { exitCode, output } = offizin(['doctor'], installationVariables());
    expect(await exitCode).toBe(1);
    const problems = output().match(/^PROBLEM .*$/gm) ?? [];
    expect([...new Set(problems.map((line) => line.replace(/.*: /, '')))]).toEqual([
      'fsync, full_page_writes off',
    ]);
    expect(output()).toContain('stored and read back');
    expect(output()).toMatch(/ok {7}database of catalog, schema: catalog, \d+ migrations/);
    expect(output()).toContain('3 problems');
  });

  it('states what to do about a wrong password, an unreachable broker and a wrong configuration', async () => {
    const wrongPassword = new URL(environment.databaseUrls.catalog);
    wrongPassword.password = 'wrong';
    const file = join(folder, 'catalog.env');
    writeFileSync(file, 'NATS_URL=nats://127.0.0.1:1\nDATABASE_POOL=many\n');
    const { exitCode, output } = offizin(
      ['doctor', '--configuration', `catalog=${file}`],
      installationVariables({
        CATALOG_DATABASE_URL: wrongPassword.toString(),
        NATS_URL: 'nats://127.0.0.1:1',
      }),
    );
    expect(await exitCode).toBe(1);
    expect(output()).toMatch(
      /PROBLEM {2}database of catalog: password authentication failed.*\n +→ Set the password/,
    );
    expect(output()).toMatch(/PROBLEM {2}broker: .*\n +→ Start nats-server/);
    expect(output()).toMatch(/DATABASE_POOL must be a whole number/);
    expect(output()).toMatch(/ok {7}database of order-core, rights: on every table/);
    expect(output()).not.toContain(wrongPassword.password);
  });

  it('names the way to an installation when none runs here', async () => {
    const { exitCode, output } = offizin(['doctor']);
    expect(await exitCode).toBe(1);
    expect(output()).toContain('No stack runs on the data folder');
    expect(output()).toContain('ORDER_CORE_DATABASE_URL');
  });
});

describe('offizin import-catalog', () => {
  const header = 'p1_id;name;price';

  /** Runs the command on a file with these bytes; its report, if it gave one. */
  async function importing(bytes: Buffer | string, ...options: string[]) {
    const file = join(folder, 'catalog.csv');
    writeFileSync(file, bytes);
    const variables = installationVariables();
    const { exitCode, output } = offizin(['import-catalog', ...options, file], variables);
    const code = await exitCode;
    const [text] = /^\{[^]*?^\}/m.exec(output()) ?? [];
    return { code, output: output(), report: text && (JSON.parse(text) as Record<string, unknown>) };
  }

  /** In the catalog; null when it is not there. */
  async function nameOf(p1Id: string): Promise<unknown> {
    const url = `${organization.urls.baseUrl}/api/v2/public/catalog/products/${p1Id}`;
    const answer = await http(url, { headers: { authorization: `Bearer ${organization.token}` } });
    return answer.status === 404 ? null : json(answer)['name'];
  }

  it('reads what a German spreadsheet writes, and states what is new, changed and equal', async () => {
    const tag = uniqueTag();
    const file = (price: string) =>
      Buffer.from(`${header}\r\n${tag}-1;Lavendelblüten;6,90\r\n${tag}-2;Süßholz;${price}\r\n`, 'latin1');
    const report = { encoding: 'windows-1252', imported: 2, updated: 0, unchanged: 0, refused: 0 };
    const dryRun = { dry_run: true, ...report };
    expect(await importing(file('2,00'), '--dry-run')).toMatchObject({ code: 0, report: dryRun });
    expect(await nameOf(`${tag}-1`)).toBeNull();
    expect(await importing(file('2,00'))).toMatchObject({ code: 0, report });
    expect(await nameOf(`${tag}-1`)).toBe('Lavendelblüten');
    const again = { imported: 0, updated: 1, unchanged: 1, refused: 0 };
    expect(await importing(file('2,50'))).toMatchObject({ code: 0, report: again });
  });

  it('imports nothing of a file with bad lines, unless told to leave them out', async () => {
    const tag = uniqueTag();
    const file = `${header}\n${tag}-1;Tee;1\n${tag}-2;Lavendelbl\ufffdten;2\n${tag}-3;Kaffee;teuer\n`;
    const refused = await importing(file);
    expect(refused).toMatchObject({ code: 1, report: { imported: 0, refused: 2 } });
    expect(refused.output).toMatch(/line 3 .*letters were lost before.*\n.*line 4 .*price/);
    expect(refused.output).toContain('Nothing was imported.');
    expect(await nameOf(`${tag}-1`)).toBeNull();
    const left = await importing(file, '--skip-bad');
    expect(left).toMatchObject({ code: 2, report: { imported: 1, refused: 2 } });
    expect(await nameOf(`${tag}-1`)).toBe('Tee');
    expect(await nameOf(`${tag}-2`)).toBeNull();
  });
});
