import { closeReceivers, httpReceiver } from '@offizin/egress/loopback-receiver';
import { Egress } from '@offizin/egress/send';
import { DOCUMENT_SERVER_CERTIFICATE, DocumentServer } from '@offizin/testkit/document-server';
import { fetchDocument, isDocumentUrl } from './document-fetcher';

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
