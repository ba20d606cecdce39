import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { connectBus } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { natsUsers, newNatsPasswords, rotatedNatsPasswords } from '@offizin/local-stack/secrets';
import { TestAuthority } from '@offizin/testkit/certificates';
import { DeployedBroker, startDeployedCluster } from '@offizin/testkit/deployed-broker';
import { eventually } from '@offizin/testkit/eventually';

/** deploy/nats/with-secrets.sh: nats-server as Compose and Kubernetes start it. */
const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function signIn(broker: DeployedBroker, passwords: string, caFile?: string): Promise<BusConnection> {
  const connection = await connectBus({ ...broker.address('catalog', passwords, caFile), name: 'catalog' });
  stops.push(() => connection.close());
  return connection;
}

async function* changesOf(connection: BusConnection): AsyncGenerator<string> {
  for await (const { type } of connection.status()) yield type;
}

/** Counts how often the connection was lost. */
function losses(connection: BusConnection): () => number {
  let count = 0;
  void (async () => {
    for await (const kind of changesOf(connection)) if (kind === 'disconnect') count++;
  })();
  return () => count;
}

it('lets a user in with the old and the new password, then with the new one only, and drops nobody else', async () => {
  const before = newNatsPasswords();
  const broker = await DeployedBroker.start({ passwords: before });
  stops.push(() => broker.stop());
  const [old, operator] = [await signIn(broker, before.catalog), await broker.connectAsOperator()];
  stops.push(() => operator.close());
  const [oldLost, operatorLost] = [losses(old), losses(operator)];
  await expect(signIn(broker, 'wrong')).rejects.toThrow('Authorization Violation');

  const added = rotatedNatsPasswords(before, 'add');
  const switched = rotatedNatsPasswords(added, 'switch');
  await expect(signIn(broker, switched.catalog)).rejects.toThrow('Authorization Violation');
  await broker.afterReload(() => broker.writePasswords(added));
  const fresh = await signIn(broker, switched.catalog);
  const freshLost = losses(fresh);
  // The same rights: what the first user may say, the second may, and no more.
  fresh.publish('events.plain.catalog');
  await fresh.flush();
  const refused = eventually('the refusal', async () => {
    for await (const kind of changesOf(fresh)) if (kind === 'error') return true;
    return false;
  });
  fresh.publish('events.plain.order-core');
  await refused;

  const onlyNew = { ...rotatedNatsPasswords(switched, 'drop'), operator: added.operator };
  await broker.afterReload(() => broker.writePasswords(onlyNew));
  await eventually('the old password to be refused', () => oldLost() > 0);
  await expect(signIn(broker, before.catalog)).rejects.toThrow('Authorization Violation');
  await fresh.flush();
  await operator.flush();
  expect([freshLost(), operatorLost()]).toEqual([0, 0]);

  // Removed too early, and put back: the process that had it needs no restart.
  await broker.afterReload(() => broker.writePasswords(added));
  await eventually('the connection to be back', () => old.flush().then(() => true));
}, 60_000);

it('takes the rights of a new version without losing a connection', async () => {
  const passwords = newNatsPasswords();
  const broker = await DeployedBroker.start({ passwords });
  stops.push(() => broker.stop());
  const [catalog, operator] = [await signIn(broker, passwords.catalog), await broker.connectAsOperator()];
  stops.push(() => operator.close());
  const lost = losses(catalog);
  const received = operator.subscribe('spec.catalog', { max: 1 });
  await operator.flush();
  await broker.afterReload(() =>
    broker.changeRights((text) => text.replace('"audit.catalog"', '"audit.catalog", "spec.catalog"')),
  );
  catalog.publish('spec.catalog');
  await eventually('the message', () => received.getReceived() === 1);
  expect(lost()).toBe(0);
}, 60_000);

it('speaks TLS only, and takes a renewed certificate without losing a connection', async () => {
  const authority = await TestAuthority.create();
  const passwords = newNatsPasswords();
  const broker = await DeployedBroker.start({ passwords, issue: (folder) => authority.issue(folder) });
  stops.push(() => broker.stop());
  expect(await plainText(broker.port, passwords.catalog)).toMatch(/^INFO [^\n]*\n$/);
  expect(broker.log()).toContain('first record does not look like a TLS handshake');

  const connection = await signIn(broker, passwords.catalog, authority.caFile);
  const lost = losses(connection);
  const before = await serialNumber(broker.port, authority);
  await broker.afterReload(() => authority.issue(broker.certificates));
  const after = await serialNumber(broker.port, authority);
  expect(after).not.toBe(before);
  await connection.flush();
  expect(lost()).toBe(0);
}, 60_000);

it('encrypts the routes of a cluster, and lets no server in whose certificate is of another authority', async () => {
  const authority = await TestAuthority.create();
  const other = await TestAuthority.create('somebody else');
  const passwords = newNatsPasswords();
  const cluster = await startDeployedCluster({ passwords, issue: (folder) => authority.issue(folder) });
  stops.push(() => Promise.all(cluster.map((server) => server.stop())).then(() => undefined));
  const [first] = cluster;
  if (!first) throw new Error('there is no server');
  for (const { clusterPort } of cluster)
    expect(await serialOfRoute(clusterPort ?? 0, authority)).toMatch(/^[\dA-F]+$/);

  const operator = await first.connectAsOperator(authority.caFile);
  stops.push(() => operator.close());
  // Three servers must agree on it.
  const config = { name: 'SPEC', subjects: ['spec'], num_replicas: 3 };
  await eventually('a stream on three servers', async () => {
    const manager = await operator.jetstreamManager({ timeout: 2_000 });
    await manager.streams.add(config).catch(() => undefined);
    const { cluster: copies } = await manager.streams.info('SPEC');
    return copies?.replicas?.length === 2 && copies.replicas.every(({ current }) => current);
  });

  const ports = cluster.map(({ clusterPort }) => clusterPort ?? 0);
  const stranger = await DeployedBroker.start({
    passwords,
    issue: (folder: string) => other.issue(folder),
    member: { name: 'nats-9', clusterPort: 0, clusterPorts: ports },
  });
  stops.push(() => stranger.stop());
  await eventually('the stranger to be refused', () => first.log().includes('TLS route handshake error'));
  expect(cluster.map((server) => server.log()).join('\n')).not.toContain('nats-9');
}, 90_000);

it('kills a server that hangs, so that its container starts again', async () => {
  const broker = await DeployedBroker.start();
  stops.push(() => broker.stop());
  expect(await broker.endsWhenStopped(15_000)).toBe(true);
  expect(broker.log()).toContain('nats-server hangs and is killed');
}, 30_000);

describe('before it starts nats-server', () => {
  const user = natsPasswordVariable('catalog');

  it.each([
    ['a password that is missing', `rm secrets/${user}`, `${user} cannot be read`],
    ['an empty password', `: > secrets/${user}`, `${user} is empty`],
    ['a password in two lines of a configuration', `echo 'p"; a: "' > secrets/${user}`, 'letters and digits'],
    ['a certificate without its key', 'touch certificates/tls.crt certificates/ca.crt', 'lacks tls.key'],
    ['a key without a certificate', 'touch certificates/tls.key', 'has tls.key and lacks tls.crt ca.crt'],
  ])('refuses %s', (_what, change, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'offizin-nats-'));
    for (const part of ['secrets', 'certificates']) mkdirSync(join(folder, part));
    for (const [name, password] of Object.entries(newNatsPasswords()))
      writeFileSync(
        join(folder, 'secrets', natsPasswordVariable(name as (typeof natsUsers)[number])),
        password,
      );
    for (const file of ['permissions.conf', 'server.conf'])
      copyFileSync(join(checkoutRoot, 'deploy/nats', file), join(folder, file));
    spawnSync('sh', ['-c', change], { cwd: folder });
    const script = join(checkoutRoot, 'deploy/nats/with-secrets.sh');
    const result = spawnSync('sh', [script, join(folder, 'server.conf')], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        SECRETS_FOLDER: join(folder, 'secrets'),
        CERTIFICATES_FOLDER: join(folder, 'certificates'),
        IN_FORCE_FOLDER: join(folder, 'in-force'),
      },
    });
    // The files in force stay as they are: another process may make the running server reload them.
    const written = ['permissions.conf', 'tls-clients.conf', 'tls-routes.conf'].filter((file) =>
      existsSync(join(folder, 'in-force', file)),
    );
    expect([result.status, result.stderr, written]).toEqual([1, expect.stringContaining(message), []]);
  });
});

/** The server's answer to a client that sends its password without TLS. */
function plainText(port: number, password: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('connect', () =>
      socket.write(`CONNECT ${JSON.stringify({ user: 'catalog', pass: password })}\r\nPING\r\n`),
    );
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

/** Of the certificate that the server shows to a client; it speaks in plain text first. */
async function serialNumber(port: number, authority: TestAuthority): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'data');
  return serialOf(connectTls({ socket, ca: authority.certificate(), servername: 'localhost' }));
}

/** Of the certificate that the server shows to another one; on a route nothing is in plain text. */
function serialOfRoute(port: number, authority: TestAuthority): Promise<string> {
  return serialOf(
    connectTls({ host: '127.0.0.1', port, ca: authority.certificate(), servername: 'localhost' }),
  );
}

async function serialOf(socket: TLSSocket): Promise<string> {
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.on('error', () => undefined);
  socket.destroy();
  return serialNumber;
}
