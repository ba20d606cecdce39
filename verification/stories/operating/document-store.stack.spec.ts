import type { AppProcess } from '@offizin/local-stack/apps';
import { queryAt } from '@offizin/local-stack/database-client';
import { TcpProxy } from '@offizin/local-stack/tcp-proxy';
import { eventually } from '@offizin/testkit/eventually';
import { http, json } from '@offizin/testkit/http';
import { ObjectStore } from '@offizin/testkit/object-store';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { makePdf } from '@offizin/testkit/pdf';
import type { TestPerson } from '@offizin/testkit/person';
import { uniqueTag } from '@offizin/testkit/platform';

/** Documents of decided requests in a bucket, over the doors of the platform. Tests follow one another. */

/** A service starts within seconds. */
const STARTED_WITHIN_MS = 30_000;

let bucket: ObjectStore;
let own: OwnStack;
let organization: TestOrganization;
let foreign: TestOrganization;
let pharmacist: TestPerson;

beforeAll(async () => {
  bucket = await ObjectStore.start();
  own = await startOwnStack({ 'order-core': bucket.environment });
  const { platform } = own;
  [organization, foreign] = await Promise.all([platform.organization(), platform.organization()]);
  pharmacist = await platform.person(organization.orgId, 'pharmacist');
}, 90_000);
afterAll(async () => {
  await own.stop();
  await bucket.stop();
}, 60_000);

interface Submitted {
  id: string;
  pdf: Buffer;
}

async function submitted(email = `${uniqueTag()}@example.org`): Promise<Submitted> {
  const pdf = makePdf(uniqueTag());
  const fields = { customer_email: email, prescription_pdf_base64: pdf.toString('base64') };
  return { id: await organization.submit(orderRequest(fields)), pdf };
}

async function approve({ id }: Submitted): Promise<void> {
  expect((await organization.api('POST', `/order-requests/${id}/approve`, {})).status).toBe(200);
}

async function objectOf({ id }: Submitted): Promise<string | null> {
  const rows = await queryAt<{ object_name: string | null }>(
    own.stack.adminDatabaseUrl,
    `SELECT object_name FROM core.documents WHERE order_request_id = '${id}'`,
  );
  return rows[0]?.object_name ?? null;
}

async function moved(request: Submitted): Promise<void> {
  await eventually('the document to move', async () => (await objectOf(request)) !== null, STARTED_WITHIN_MS);
}

function read({ id }: Submitted, by = organization) {
  return by.api('GET', `/order-requests/${id}/prescription.pdf`);
}

async function readiness({ managementUrl }: AppProcess): Promise<unknown> {
  return json(await http(`${managementUrl}/readyz`));
}

let first: Submitted;

it('is read by integrators and in the console as before, and by nobody else', async () => {
  first = await submitted();
  const open = await submitted();
  await approve(first);
  await moved(first);
  expect(bucket.names()).toEqual([await objectOf(first)]);
  const answer = await read(first);
  expect([answer.status, answer.body.equals(first.pdf)]).toEqual([200, true]);
  const shown = await pharmacist.org('GET', `/order-requests/${first.id}/prescription.pdf`);
  expect([shown.status, shown.body.equals(first.pdf)]).toEqual([200, true]);
  expect((await read(first, foreign)).status).toBe(404);
  expect((await read(open)).body.equals(open.pdf)).toBe(true);
});

it('answers 503 while the bucket is unreachable, and erases all the same', async () => {
  const email = `${uniqueTag()}@example.org`;
  const request = await submitted(email);
  await approve(request);
  await moved(request);
  await bucket.kill();
  const away = await read(first);
  expect([away.status, away.headers['retry-after'], json(away)]).toEqual([
    503,
    '1',
    { error: 'service_unavailable', message: expect.stringContaining('store of older documents') },
  ]);
  const open = await submitted();
  expect((await read(open)).body.equals(open.pdf)).toBe(true);

  const name = (await objectOf(request)) ?? '';
  const erased = await organization.api('POST', '/customers/erase', { email });
  expect(json(erased)).toMatchObject({ status: 'done', order_requests: 1 });
  expect((await read(request)).status).toBe(404);
  expect(bucket.names()).toContain(name);
  await bucket.start();
  await queryAt(own.stack.adminDatabaseUrl, 'UPDATE core.loose_objects SET due_at = now()');
  await eventually('the object to be deleted', () => Promise.resolve(!bucket.names().includes(name)), 30_000);
  expect((await read(first)).body.equals(first.pdf)).toBe(true);
}, 90_000);

it('reports when the setting is gone, and returns to the database when asked', async () => {
  await own.stack.apps['order-core'].stop();
  const plain = await own.stack.addReplica('order-core', { DOCUMENT_STORE_URL: '' });
  expect(await readiness(plain.process)).toMatchObject({
    degraded: { document_store: 'documents are in a store, and DOCUMENT_STORE_URL is not set' },
  });
  // The gateway calls one address.
  const behind = [plain.port];
  const balancer = await TcpProxy.start(() => behind, own.stack.ports['order-core']);
  await eventually('calls to reach the new process', async () => {
    const answer = await read(first);
    return answer.status === 503 && answer.body.toString().includes('store of older documents');
  });
  await plain.process.stop();
  const returning = await own.stack.addReplica('order-core', { DOCUMENT_STORE_MODE: 'return' });
  behind.splice(0, 1, returning.port);
  await eventually('the bucket to be empty', () => Promise.resolve(bucket.names().length === 0), 30_000);
  const inStore = 'SELECT FROM core.documents WHERE ciphertext IS NULL';
  expect(await queryAt(own.stack.adminDatabaseUrl, inStore)).toEqual([]);
  await eventually('calls to reach it', async () => (await read(first)).body.equals(first.pdf));
  await balancer.close();
  await returning.process.stop();
}, 120_000);
