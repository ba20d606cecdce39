import { TestAuthority } from '@offizin/testkit/certificates';
import { DeployedBroker } from '@offizin/testkit/deployed-broker';
import { checkBrokerCertificates } from './broker-certificate';
import type { Finding } from './finding';

let authority: TestAuthority;
let other: TestAuthority;
let broker: DeployedBroker;

beforeAll(async () => {
  authority = await TestAuthority.create();
  other = await TestAuthority.create('somebody else');
  broker = await DeployedBroker.start({ issue: (folder) => authority.issue(folder) });
}, 30_000);
afterAll(async () => {
  await broker.stop();
  authority.delete();
  other.delete();
});

async function finding(natsTlsCaFile?: string, natsUrl = broker.url): Promise<Finding | undefined> {
  const [found] = await checkBrokerCertificates({ natsUrl, natsUser: '', natsPassword: '', natsTlsCaFile });
  return found;
}

it('is content with a certificate for the name, of the known authority, that is valid for weeks', async () => {
  expect(await finding(authority.caFile)).toMatchObject({
    of: 'certificate of the broker localhost',
    outcome: 'ok',
    found: expect.stringMatching(/^ends on \d{4}-\d\d-\d\d, in (29|30) days$/) as string,
  });
});

it('tells an authority that is not known, or is another one', async () => {
  for (const caFile of [undefined, other.caFile])
    expect(await finding(caFile)).toMatchObject({
      outcome: 'problem',
      advice: expect.stringContaining('Set NATS_TLS_CA_FILE') as string,
    });
});

it('tells that the broker wants TLS, and that another one offers none', async () => {
  const plain = await DeployedBroker.start();
  const plainUrl = plain.url;
  const [wanted, silent, quiet] = [
    await finding(undefined, broker.url.replace('tls:', 'nats:')),
    await finding(authority.caFile, plainUrl.replace('nats:', 'tls:')),
    await finding(undefined, plainUrl),
  ];
  await plain.stop();
  expect(wanted).toMatchObject({ outcome: 'problem', found: expect.stringContaining('wants TLS') as string });
  expect(silent).toMatchObject({
    outcome: 'problem',
    found: expect.stringContaining('offers no TLS') as string,
  });
  expect(quiet).toMatchObject({ outcome: 'skipped', found: 'NATS_URL is not tls://' });
  const gone = await finding(authority.caFile, plainUrl.replace('nats:', 'tls:'));
  expect(gone).toMatchObject({
    outcome: 'problem',
    found: expect.stringContaining('ECONNREFUSED') as string,
  });
});

it.each(['127.0.0.1:1', 'localhost:1', 'nats://a b'])(
  'leaves %j to the check of the broker',
  async (natsUrl) => {
    expect(await finding(undefined, natsUrl)).toMatchObject({ outcome: 'skipped' });
  },
);

it('tells a certificate that ends soon, and one for another name', async () => {
  await broker.afterReload(() => authority.issue(broker.certificates, { days: 5 }));
  expect(await finding(authority.caFile)).toMatchObject({ outcome: 'warning' });
  await broker.afterReload(() => authority.issue(broker.certificates, { names: ['nats.example.org'] }));
  expect(await finding(authority.caFile)).toMatchObject({
    outcome: 'problem',
    found: expect.stringContaining('nats.example.org') as string,
    advice: 'Issue it for the name that stands in NATS_URL.',
  });
});
