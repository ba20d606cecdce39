import { DocumentServer } from '@offizin/testkit/document-server';
import { certificateFinding, checkCertificate } from './certificate-check';

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
