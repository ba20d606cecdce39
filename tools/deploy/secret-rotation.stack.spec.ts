import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connectBus } from '@offizin/bus/connection';
import { type AppName, appNames, type AppProcess, loopback } from '@offizin/local-stack/apps';
import { queryAt } from '@offizin/local-stack/database-client';
import {
  type NatsUser,
  natsUsers,
  newNatsPasswords,
  ROTATION_STEPS,
  type RotationStep,
} from '@offizin/local-stack/secrets';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { freePort } from '@offizin/local-stack/ports';
import type { Stack } from '@offizin/local-stack/stack';
import { TcpProxy } from '@offizin/local-stack/tcp-proxy';
import { TestAuthority } from '@offizin/testkit/certificates';
import { setDatabasePasswords } from '@offizin/testkit/database-passwords';
import { DeployedBroker } from '@offizin/testkit/deployed-broker';
import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, SHORT_WAITS, startOwnStack } from '@offizin/testkit/own-stack';
import { uniqueTag } from '@offizin/testkit/platform';
import { type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { installationSecrets, kubernetesSecrets } from './installation-secrets';
import { type Rotatable, rotations } from './secret-rotation';

/**
 * The secrets of the installation are changed as `deploy rotate` changes them, roll-out by roll-out while it works. The
 * broker is started as Compose and Kubernetes start it, and speaks TLS only. Tests follow one another.
 */
let authority: TestAuthority;
let broker: DeployedBroker;
const firstPasswords = newNatsPasswords();
/** By the name of the file that holds each, as they are now. */
let secrets: Record<string, string>;
let own: OwnStack;
let stack: Stack;
let organization: TestOrganization;
let receiver: WebhookReceiver;
let secret: string;
const KEYS = [
  'MASTER_KEY',
  'TOKEN_SIGNING_KEYS',
  'PROOF_SIGNING_KEYS',
  'IDEMPOTENCY_SECRET',
  'CALL_KEYS',
  'DATABASE',
] as const;
const requestIds: string[] = [];
const balancers: TcpProxy[] = [];

beforeAll(async () => {
  authority = await TestAuthority.create();
  broker = await DeployedBroker.start({
    passwords: firstPasswords,
    issue: (folder) => authority.issue(folder),
  });
  // As an operator gives them to a stack whose broker is elsewhere.
  for (const user of natsUsers) process.env[natsPasswordVariable(user)] = firstPasswords[user];
  own = await startOwnStack(SHORT_WAITS, { natsUrl: broker.url, natsTlsCaFile: authority.caFile });
  stack = own.stack;
  const passwords = natsUsers.map((user) => [natsPasswordVariable(user), firstPasswords[user]] as const);
  const { host, pathname } = new URL(stack.adminDatabaseUrl);
  secrets = { ...installationSecrets(stack.secrets, `${host}${pathname}`), ...Object.fromEntries(passwords) };
  organization = await own.platform.organization();
  receiver = await WebhookReceiver.start();
  const created = await organization.api('POST', '/webhooks', { url: receiver.url });
  expect(created.status).toBe(201);
  secret = json<{ secret: string }>(created).secret;
  for (let count = 0; count < 4; count++) {
    const body = orderRequest({ customer_name: 'Erika Rot' }, { external_reference: uniqueTag() });
    requestIds.push(json<{ id: string }>(await organization.connector({ body })).id);
  }
}, 90_000);
afterAll(async () => {
  await Promise.all(balancers.map((balancer) => balancer.close()));
  await receiver.close();
  await own.stop();
  await broker.stop();
}, 60_000);

/** All that is encrypted under the master key, as it lies in the database. */
async function encrypted(): Promise<string[]> {
  const rows = await queryAt<{ encrypted: string }>(
    stack.adminDatabaseUrl,
    `SELECT encode(wrapped_key, 'hex') AS encrypted FROM core.data_keys
     UNION ALL SELECT encode(secret, 'hex') FROM webhooks.subscriptions ORDER BY 1`,
  );
  return rows.map((row) => row.encrypted);
}

/** An approval opens the request's payload, and its event is signed with the subscription's secret. */
async function expectEverythingReadable(by = organization): Promise<void> {
  const requestId = requestIds.pop() ?? '';
  const approved = await by.api('POST', `/order-requests/${requestId}/approve`, {});
  expect(approved.status).toBe(200);
  const { order_id: id } = json<{ order_id: string }>(approved);
  const order = await by.api('GET', `/orders/${id}`);
  expect(json(order)).toMatchObject({ customer_name: 'Erika Rot' });
  const delivery = await receiver.waitFor(({ metadata }) => metadata['order_id'] === id);
  const expected = createHmac('sha256', secret).update(delivery.body).digest('hex');
  expect(delivery.headers['x-service-signature']).toBe(`sha256=${expected}`);
}

/** The processes that serve now, and the ports behind the two addresses that stay the same. */
const serving: AppProcess[] = [];
const corePorts: number[] = [];
const gatewayPorts: number[] = [];
const edgePorts: number[] = [];

/** New replicas of all apps beside those that serve, which stop afterwards: a complete roll-out. */
async function rollOut(): Promise<void> {
  const before = serving.splice(0);
  await Promise.all(
    appNames.map(async (app) => {
      const { process, port } = await stack.addReplica(app, settings(app));
      serving.push(process);
      const ports = { gateway: gatewayPorts, 'connector-edge': edgePorts, 'order-core': corePorts }[
        app as string
      ];
      // Old and new replicas answer each other's calls until the old ones stop. An edge waits for order-core.
      ports?.push(port);
    }),
  );
  if (calls > 0) await answeredCalls(20);
  for (const ports of [gatewayPorts, edgePorts, corePorts]) ports.splice(0, ports.length - 1);
  await Promise.all(before.map((process) => process.stop()));
}

let calls = 0;
/** Calls that ended without an answer, and orders that were answered. */
let broken = 0;
const orderIds: string[] = [];
const refused: string[] = [];

async function answeredCalls(count: number): Promise<void> {
  const until = calls + count;
  await eventually('more calls to be answered', () => calls >= until);
}

/** Calls over both edges, to every service, over the bus and over HTTP, until the work is done. */
async function underLoad(target: TestOrganization, work: () => Promise<void>): Promise<void> {
  let isDone = false;
  const repeat = async (call: () => Promise<HttpAnswer>): Promise<void> => {
    while (!isDone) {
      // A connection may end with its replica, before an answer; a call that is answered must not be refused.
      const answer = await call().catch(() => null);
      if (answer === null) broken++;
      if (answer === null) continue;
      calls++;
      if (answer.status >= 300) refused.push(`${answer.status} ${answer.body.toString()}`);
    }
  };
  const request = (): object => orderRequest({}, { external_reference: uniqueTag() });
  const { shopId } = target.shops[0];
  const callers = [
    () => target.api('GET', '/orders?limit=1'),
    () => target.api('GET', '/shops'),
    () => target.api('GET', '/webhooks'),
    () => target.api('POST', '/order-requests', { payload: { ...orderRequest().payload, shop_id: shopId } }),
    () => target.connector({ body: request() }),
    async () => {
      const answer = await target.api('POST', '/orders', { shop_id: shopId, external_id: uniqueTag() });
      if (answer.status < 300) orderIds.push(json<{ id: string }>(answer).id);
      return answer;
    },
  ];
  const loading = Promise.all(callers.map(repeat));
  try {
    await work();
  } finally {
    isDone = true;
    await loading;
  }
}

let target: TestOrganization;
let coreUrl: string;

function settings(app: AppName): Record<string, string> {
  const files = Object.entries(kubernetesSecrets[app] ?? {});
  return {
    ...Object.fromEntries(files.map(([setting, file]) => [setting, secrets[file] ?? ''])),
    ORDER_CORE_URL: coreUrl,
    // Their callers end their connections meanwhile.
    DRAIN_DELAY_SECONDS: '1',
  };
}

function change(name: Rotatable, step: RotationStep): void {
  secrets = { ...secrets, ...rotations[name].changed(secrets, step) };
}

it('new keys of every kind: three roll-outs of all apps under load, and no call is refused', async () => {
  const [core = 0, baseUrl = 0, connectorUrl = 0] = await Promise.all(
    [corePorts, gatewayPorts, edgePorts].map(async (ports) => {
      const port = await freePort();
      balancers.push(await TcpProxy.start(() => ports, port));
      return port;
    }),
  );
  coreUrl = loopback(core);
  serving.push(...stack.replicas, ...Object.values(stack.apps));
  // The same keys: from here on, everything is behind an address that stays.
  await rollOut();
  const urls = { baseUrl: loopback(baseUrl), connectorUrl: loopback(connectorUrl) };
  target = new TestOrganization(urls, organization);
  target.token = organization.token;
  const firstToken = target.token;
  const repeated = { key: uniqueTag(), body: { shop_id: target.shops[0].shopId, external_id: uniqueTag() } };
  const repeat = (): Promise<HttpAnswer> =>
    target.api('POST', '/orders', repeated.body, { 'idempotency-key': repeated.key });
  const firstAnswer = await repeat();
  const underOldKey = await encrypted();
  await underLoad(target, async () => {
    for (const step of ROTATION_STEPS) {
      if (step === 'drop') {
        // What `deploy rotate` says to wait for.
        await target.renewToken();
        await eventually('all to be encrypted again', async () => {
          const now = await encrypted();
          return now.length === underOldKey.length && now.every((text) => !underOldKey.includes(text));
        });
      }
      for (const name of KEYS) change(name, step);
      await setDatabasePasswords(stack.adminDatabaseUrl, secrets);
      await rollOut();
      if (step !== 'drop') expect((await repeat()).body).toEqual(firstAnswer.body);
    }
  });
  expect(refused).toEqual([]);
  expect(calls).toBeGreaterThan(50);
  await expectEverythingReadable(target);
  // Its stored answer was encrypted under a secret that is gone.
  expect((await repeat()).status).toBe(409);
  target.token = firstToken;
  expect((await target.api('GET', '/shops')).status).toBe(401);
  await target.renewToken();
}, 120_000);

/** How often the processes that serve have lost the broker. */
async function busLosses(): Promise<number> {
  const losses = serving.map(async ({ managementUrl }) => {
    const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
    return Number(/^offizin_bus_disconnects_total(?:\{[^}]*\})? (\d+)$/m.exec(metrics)?.[1]);
  });
  return (await Promise.all(losses)).reduce((sum, count) => sum + count, 0);
}

/**
 * A step of docs/operate/operations.md: the files of all users are written; the broker takes them, or the apps are
 * rolled out.
 */
async function changePasswords(step: RotationStep): Promise<void> {
  change('NATS', step);
  const passwords = natsUsers.map((user) => [user, secrets[natsPasswordVariable(user)]]);
  const brokenBefore = broken;
  await broker.afterReload(() =>
    broker.writePasswords(Object.fromEntries(passwords) as Record<NatsUser, string>),
  );
  if (step === 'switch') return rollOut();
  await answeredCalls(20);
  expect([await busLosses(), broken]).toEqual([0, brokenBefore]);
}

it('new passwords at the broker: one roll-out under load, no call refused, no connection lost, no event missing', async () => {
  await underLoad(target, async () => {
    for (const step of ROTATION_STEPS) await changePasswords(step);
  });
  expect(refused).toEqual([]);
  expect(orderIds.length).toBeGreaterThan(10);
  await eventually('an event of each order', () => {
    const told = receiver.received.map(({ body }) => JSON.parse(body.toString()) as WebhookBody);
    const created = told.filter(({ event_type }) => event_type === 'order_created');
    const ids = new Set(created.map(({ metadata }) => metadata['order_id']));
    return orderIds.every((id) => ids.has(id));
  });
  await expectEverythingReadable(target);
  for (const user of natsUsers) {
    const address = broker.address(user, firstPasswords[user], authority.caFile);
    await expect(connectBus({ ...address, name: user })).rejects.toThrow('Authorization Violation');
  }
}, 120_000);

describe('an app', () => {
  let stranger: TestAuthority;
  beforeAll(async () => {
    stranger = await TestAuthority.create('somebody else');
  });
  const plain = (): string => broker.url.replace('tls://', 'nats://');

  it.each([
    ['without the authority', () => ({ NATS_TLS_CA_FILE: '' }), /broker not reached/],
    ['with another authority', () => ({ NATS_TLS_CA_FILE: stranger.caFile }), /broker not reached/],
    ['that asks for no TLS', () => ({ NATS_TLS_CA_FILE: '', NATS_URL: plain() }), /broker not reached/],
    ['with half of TLS', () => ({ NATS_URL: plain() }), /NATS_TLS_CA_FILE is set, and NATS_URL does not/],
  ])('%s is not let in, and states why', async (_what, changed, line) => {
    const known = stack.replicas.length;
    const settings = { LOG_LEVEL: 'warn', ...changed() };
    const starting = stack.addReplica('connector-edge', settings).catch((error: unknown) => String(error));
    const replica = await eventually('the process', () => stack.replicas[known]);
    const found = await eventually('its log', () =>
      readFileSync(replica.logFile, 'utf8')
        .split('\n')
        .find((text) => line.test(text)),
    );
    if (found.includes('broker not reached')) expect(found).toMatch(/certificate/);
    await replica.stop();
    expect(await starting).toContain('connector-edge');
  });
});
