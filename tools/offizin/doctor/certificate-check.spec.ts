import { TestAuthority } from '@offizin/testkit/certificates';
import { DeployedBroker } from '@offizin/testkit/deployed-broker';
import { DocumentServer } from '@offizin/testkit/document-server';
import { certificateFinding, checkBrokerCertificates, checkCertificate } from './certificate-check';
import type { Finding } from './finding';

const DAY_MS = 24 * 60 * 60 * 1_000;
const NOW_MS = Date.parse('2026-11-26T12:00:00Z');

it('warns two weeks before the end', () => {
  const inDays = (days: number) => certificateFinding('it', NOW_MS + days * DAY_MS, NOW_MS);
  expect(inDays(60)).toMatchObject({ outcome: 'ok', found: 'ends on 2027-01-25, in 60 days' });
  expect(inDays(13)).toMatchObject({ outcome: 'warning', found: 'ends on 2026-12-09, in 13 days' });
});

it('tells why a caller would refuse it', async () => {
  const server = await DocumentServer.start();
  const finding = await checkCertificate(server.url);
  await server.close();
  const found = expect.stringContaining('self-signed certificate') as string;
  expect(finding).toMatchObject({ outcome: 'problem', found });
});

it('tells that nothing listens, and asks nothing without https', async () => {
  expect(await checkCertificate('https://127.0.0.1:1')).toMatchObject({ outcome: 'problem' });
  expect(await checkCertificate('http://127.0.0.1:1')).toMatchObject({ outcome: 'skipped' });
  expect(await checkCertificate(undefined)).toMatchObject({ outcome: 'skipped' });
});

let authority: TestAuthority;
let other: TestAuthority;
let broker: DeployedBroker;

beforeAll(async () => {
  authority = await TestAuthority.create();
  other = await TestAuthority.create('somebody else');
  broker = await DeployedBroker.start({ issue: (folder) => authority.issue(folder) });
}, 30_000);
afterAll(() => broker.stop());

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
    advice: 'Issue it for the name in NATS_URL.',
  });
});
