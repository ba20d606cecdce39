import { addDocument } from '@offizin/contracts/requests/added-documents';
import {
  getOrderRequest,
  getOrderRequestDocument,
  getPrescriptionPdf,
} from '@offizin/contracts/requests/order-request-review';
import { getReview, noteView, readReviewDocument } from '@offizin/contracts/requests/review';
import { AuditLogQuery } from '@offizin/contracts/reports/audit';
import type { Caller } from '@offizin/contracts/calls/caller';
import { makePdf } from '@offizin/testkit/pdf';
import { listAudit } from '../../audit/audit-list.store';
import { brokerSpec } from '../../spec/core-spec';
import { ReviewFixture } from '../../spec/review-fixture';

/** The audit log names which version or document of a request was fetched, read or looked at. */

const test = brokerSpec();
let fixture: ReviewFixture;
let caller: Caller;
let id: string;

/** Number 1 of version 1 and, by the answer, of version 2; number 2 of version 3. */
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus);
  caller = fixture.core.staff();
  id = await fixture.submit({}, { pdf: makePdf('first'), external_reference: 'r' });
  await fixture.ask(id);
  await fixture.submit({}, { pdf: makePdf('second'), external_reference: 'r' });
  await add('card');
});

async function add(title: string): Promise<void> {
  const body = { kind: 'identity', pdf_base64: makePdf(title).toString('base64') };
  expect((await fixture.core.call(addDocument, { params: { requestId: id }, body })).status).toBe(201);
}

const params = () => ({ requestId: id });
const view = (query = '') => fixture.core.call(noteView, { params: params(), query, caller });
async function entries(action: string): Promise<string[]> {
  const all = await fixture.core.auditOf(`order-request:${id}`);
  return all
    .filter((entry) => entry.action === action)
    .map(({ object }) => object.replace(`order-request:${id}:`, ''));
}

it.each([
  ['', 'document:1:version:2'],
  ['version=1', 'document:1:version:1'],
  ['number=2', 'document:2:version:3'],
  ['number=1', 'document:1:version:2'],
])('a fetch and a look with "%s" name %s', async (query, object) => {
  // Bytes: their content is proved elsewhere.
  await fixture.core.call(readReviewDocument, { params: params(), query, caller }).catch(() => undefined);
  expect(await entries('prescription.fetch')).toEqual([object]);
  expect((await view(query)).status).toBe(204);
  expect(await entries('prescription.view')).toEqual([object]);
});

it('names the version of the request that a key reads or a page fetches', async () => {
  for (const version of ['version:3', 'version:4']) {
    await fixture.core.call(getOrderRequest, { params: params() });
    await fixture.core.call(getReview, { params: params(), caller });
    expect((await entries('order-request.read')).at(-1)).toBe(version);
    expect((await entries('order-request.fetch')).at(-1)).toBe(version);
    await add(`card after ${version}`);
  }
});

it('names the document that a key reads', async () => {
  const { core } = fixture;
  const numbered = { params: { ...params(), number: '2' } };
  await core.call(getOrderRequestDocument, numbered).catch(() => undefined);
  await core.call(getPrescriptionPdf, { params: params(), query: 'version=1' }).catch(() => undefined);
  expect(await entries('prescription.read')).toEqual(['document:2:version:3', 'document:1:version:1']);
});

it('a document that is added within 15 minutes of a look gets an entry of its own, each document once', async () => {
  await view('number=1&version=2');
  await add('another card');
  for (const query of ['number=3&version=4', 'number=1&version=2', 'number=3&version=4']) await view(query);
  expect(await entries('prescription.view')).toEqual(['document:1:version:2', 'document:3:version:4']);
  expect((await view('number=4')).status).toBe(404);
  const { body } = await fixture.core.call(getReview, { params: params(), caller });
  const looks = body.history.filter(({ action }) => action === 'prescription.view');
  expect(looks.map(({ document }) => document)).toEqual([3, 1]);
});

it('finds the entries of its documents by the request, and those of one document', async () => {
  await view('number=1');
  await view('number=2');
  const found = async (object: string) => {
    const query = Object.assign(new AuditLogQuery(), { object, action: 'prescription.view' });
    return (await listAudit(test.database, caller.orgId, query)).data.length;
  };
  expect(await found(`order-request:${id}`)).toBe(2);
  expect(await found(`order-request:${id}:document:2`)).toBe(1);
  expect(await found(`order-request:${id.slice(0, -1)}`)).toBe(0);
});
