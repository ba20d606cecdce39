import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/request-documents';
import { closeReceivers, httpReceiver } from '@offizin/egress/loopback-receiver';
import { Egress } from '@offizin/egress/send';
import { DOCUMENT_SERVER_CERTIFICATE, DocumentServer } from '@offizin/testkit/document-server';
import { documentAt, fetchDocument, isDocumentUrl } from './document-fetcher';

/** The redirect of a prescription's address, against real servers. */
const LOCAL = { allowHttp: true, allowLoopback: true };
const egress = new Egress(LOCAL);
afterAll(() => egress.close());
afterEach(closeReceivers);

async function serverWith(locations: Record<string, string>) {
  const asked: string[] = [];
  const { port } = await httpReceiver((request, response) => {
    asked.push(request.url ?? '');
    const location = locations[request.url ?? ''];
    if (location === undefined) response.end('%PDF-');
    else response.writeHead(302, { location }).end();
  });
  return { asked, url: `http://127.0.0.1:${port}` };
}

it('is followed once on the same host', async () => {
  const { asked, url } = await serverWith({ '/a': '/b?c=d', '/1': '/2', '/2': '/3' });
  expect(await fetchDocument(egress, `${url}/a`)).toMatchObject({ status: 200 });
  expect(await fetchDocument(egress, `${url}/1`)).toMatchObject({ status: 302 });
  expect(asked).toEqual(['/a', '/b?c=d', '/1', '/2']);
});

it('is not followed to another host, port or scheme, or with a password', async () => {
  const other = await serverWith({});
  const targets = [other.url, '//localhost/', 'https://127.0.0.1/', 'file:///etc/passwd', 'http://['];
  const { asked, url } = await serverWith(Object.fromEntries(targets.map((to, n) => [`/${n}`, to])));
  for (const [n] of targets.entries())
    expect(await fetchDocument(egress, `${url}/${n}`)).toMatchObject({ status: 302 });
  const host = url.slice('http://'.length);
  const withPassword = await serverWith({ '/': `http://me:secret@${host}/` });
  expect(await fetchDocument(egress, `${withPassword.url}/`)).toMatchObject({ status: 302 });
  expect([asked, other.asked]).toEqual([['/0', '/1', '/2', '/3', '/4'], []]);
});

it('passes the guard: a name that then stands for another address is refused', async () => {
  const server = await DocumentServer.start();
  Object.assign(server, { status: 302, headers: { location: '/b', connection: 'close' } });
  const answers = [['127.0.0.1', '::1'], ['10.0.0.1']];
  const rebinding = new Egress({
    ...LOCAL,
    certificateAuthorities: DOCUMENT_SERVER_CERTIFICATE,
    maxRequestsPerConnection: 1,
    lookup: () => Promise.resolve(answers.shift() ?? []),
  });
  const sent = fetchDocument(rebinding, `${server.url}/a`);
  await expect(sent).rejects.toMatchObject({ kind: 'refused_by_policy' });
  expect(server.asked).toEqual(['/a']);
  await rebinding.close();
  await server.close();
});

it.each([
  [LOCAL, 'http://127.0.0.1:8080/r.pdf', true],
  [LOCAL, 'http://[::1]/r.pdf', true],
  [LOCAL, 'http://me:secret@127.0.0.1/r.pdf', false],
  [LOCAL, 'http://partner.example/r.pdf', false],
  [LOCAL, 'http://10.0.0.1/r.pdf', false],
  [{ allowHttp: false, allowLoopback: true }, 'http://127.0.0.1/r.pdf', false],
  [{ allowHttp: true, allowLoopback: false }, 'http://127.0.0.1/r.pdf', false],
])('with %j, %s can be handed in: %s', async (policy, url, taken) => {
  const configured = new Egress(policy);
  expect(isDocumentUrl(configured, url)).toBe(taken);
  await configured.close();
});

describe('the server of a document', () => {
  const PDF = Buffer.from('%PDF-1.4');
  const BOMB = Buffer.alloc(MAX_PDF_BYTES + 1);

  async function documentOf(status: number, headers: Record<string, string>, body: Buffer) {
    const agents: unknown[] = [];
    const { port } = await httpReceiver((request, response) => {
      agents.push(request.headers['user-agent']);
      response.writeHead(status, headers).end(body);
    });
    const fetched = await documentAt(egress, `http://127.0.0.1:${port}/r`);
    expect(agents).toEqual(['Offizin/1']);
    return typeof fetched === 'string' ? fetched : fetched.body.toString();
  }

  it.each([
    ['gzip', gzipSync(PDF), '%PDF-1.4'],
    ['GZIP', gzipSync(PDF), '%PDF-1.4'],
    ['br', brotliCompressSync(PDF), '%PDF-1.4'],
    ['identity', PDF, '%PDF-1.4'],
    ['gzip', gzipSync(BOMB), `The answer is larger than ${MAX_PDF_BYTES} bytes.`],
    ['br', brotliCompressSync(BOMB), `The answer is larger than ${MAX_PDF_BYTES} bytes.`],
    ['gzip', PDF, 'The answer is not valid gzip.'],
    ['deflate', deflateSync(PDF), 'The answer is compressed, but neither as gzip nor as br.'],
  ])('may send it as %s, within the limit after decoding (%#)', async (coding, body, expected) => {
    expect(await documentOf(200, { 'content-encoding': coding }, body)).toBe(expected);
  });

  it.each([
    [401, ': it asks for a login, but a link must need none'],
    [403, ': it refuses access; the link may have expired, or a firewall blocks it'],
    [404, ': there is no document at this link, or it has expired'],
    [410, ': there is no document at this link, or it has expired'],
    [429, ': it accepts no more requests for now'],
    [302, ': its redirect is not followed'],
    [503, ': it has failed'],
    [418, ''],
  ])('that answers %d is named with what it wants, without its text', async (status, meaning) => {
    expect(await documentOf(status, {}, Buffer.from('secret'))).toBe(
      `the server answered ${status}${meaning}`,
    );
  });
});
