import { setImmediate as turn } from 'node:timers/promises';
import { upsertOrders } from '@offizin/contracts/orders/order-batches';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import * as added from '@offizin/contracts/requests/added-documents';
import { approveOrderRequest, requestClarification } from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { ingestPrescription } from '@offizin/contracts/requests/prescriptions';
import { statement } from '@offizin/pg/database';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderRequest } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { PrescriptionsHandlers } from '../requests/prescriptions/prescriptions.handlers';
import { databaseSpec, sharedBusSpec } from '../spec/core-spec';
import {
  documentParts,
  erasureHandlers,
  requestHandlers,
  specKeys,
  writeAllOrderWords,
} from '../spec/request-handlers';
import { OrderCoreFixture, silentChanges, silentRelay } from '../spec/spec-fixture';
import { storedText } from '../spec/stored-text';
import { Eraser } from './eraser';

const ROUNDS = 8;
/** The erasure begins up to so long before or after the other call. */
const APART_MS = 10;

const test = databaseSpec();
const shared = sharedBusSpec();
let core: OrderCoreFixture;

beforeEach(async () => {
  const { database } = test;
  const keys = specKeys(database);
  const { threads, fetcher, reads } = documentParts(database, keys);
  const prescriptions = new PrescriptionsHandlers(database, silentRelay(), keys, fetcher, threads, reads);
  const further = [requestHandlers(database, keys, shared.bus), erasureHandlers(database, keys)].flat();
  core = await OrderCoreFixture.make(database, [...further, ...handlersIn(prescriptions)]);
});

const NAME = 'Erika Canary';
const emailOf = (round: number) => `canary-${round}@example.org`;
const customerOf = (round: number) => ({ customer_name: NAME, customer_email: emailOf(round) });
const pdfOf = (round: number) => makePdf(`${NAME} ${round}`).toString('base64');
const requestOf = (round: number, more: object = customerOf(round)) =>
  orderRequest(
    { shop_id: core.shopId, prescription_pdf_base64: pdfOf(round), customer_name: NAME, ...more },
    { external_reference: `r-${round}` },
  );
const submit = async (round: number, more?: object) =>
  (await core.call(requests.submitOrderRequest, { body: requestOf(round, more) })).body.id;
const order = async (round: number, more: object = customerOf(round)) =>
  (await core.upsert(`o-${round}`, more)).body.id;
const ingestedBy = (round: number, name: string) => ({
  'External Id': `p-${round}`,
  'Customer Email': emailOf(round),
  'Customer Last Name': name,
});
const ingest = (round: number, name = NAME) =>
  core.call(ingestPrescription, { body: ingestedBy(round, name), query: `shop_id=${core.shopId}` });

/** The state before, and the call beside the erasure of what `body` names. */
type Race = (round: number) => Promise<{ body: object; act: () => Promise<unknown> }>;

const ofRequest =
  (act: (params: { requestId: string }, round: number) => Promise<unknown>, more?: object): Race =>
  async (round) => {
    const requestId = await submit(round, more);
    return { body: { order_request_id: requestId }, act: () => act({ requestId }, round) };
  };
const byEmail =
  (race: Race): Race =>
  async (round) => ({ ...(await race(round)), body: { email: emailOf(round) } });
const ofOrder =
  (act: (orderId: string, round: number) => Promise<unknown>): Race =>
  async (round) => {
    const order_id = await order(round);
    return { body: { order_id }, act: () => act(order_id, round) };
  };
const approve = ofRequest((params) => core.call(approveOrderRequest, { params, body: {} }));
const correct = ofRequest((params, round) => {
  const body = { customer_email: `canary-corrected-${round}@example.org`, customer_name: `${NAME} II` };
  return core.call(approveOrderRequest, { params, body });
});
const second = (round: number) => ({ ...customerOf(round), customer_name: `${NAME} II` });
const upsert = ofOrder((_, round) => order(round, { ...customerOf(round), address_street: 'Canary Weg 1' }));
const update = ofOrder((orderId) => core.update(orderId, { customer_name: `${NAME} II`, items: [] }));
const answer: Race = async (round) => {
  const requestId = await submit(round);
  await core.call(requestClarification, { params: { requestId }, body: { question: `${NAME}?` } });
  return { body: { order_request_id: requestId }, act: () => submit(round, second(round)) };
};
const created = (act: (round: number) => Promise<unknown>): Race =>
  byEmail((round) => Promise.resolve({ body: {}, act: () => act(round) }));
const batch = (round: number) => {
  const members = [round, `${round}-b`].map((name) => ({ external_id: `o-${name}`, shop_id: core.shopId }));
  return core.call(upsertOrders, {
    body: { orders: members.map((member) => ({ ...member, ...customerOf(round) })) },
  });
};
const replace = ofRequest((params, round) =>
  core.call(requests.replaceOrderRequest, { params, body: requestOf(round, second(round)) }),
);

const RACES: Record<string, Race> = {
  'an approval, by the id of the request': approve,
  'an approval, by e-mail': byEmail(approve),
  'an approval of a request without e-mail': ofRequest(
    (params) => core.call(approveOrderRequest, { params, body: {} }),
    { customer_name: NAME },
  ),
  'an approval that corrects the e-mail, by that of the request': byEmail(correct),
  'an approval that corrects the e-mail, by the corrected one': async (round) => ({
    ...(await correct(round)),
    body: { email: `canary-corrected-${round}@example.org` },
  }),
  'an upsert, by id': upsert,
  'an upsert, by e-mail': byEmail(upsert),
  'a PUT of the order, by id': update,
  'a PUT of the order, by e-mail': byEmail(update),
  'a new order': created((round) => order(round)),
  'a batch of new orders': created(batch),
  'a submission': created((round) => submit(round)),
  'a prescription': created((round) => ingest(round)),
  'a replacement, by id': replace,
  'a replacement, by e-mail': byEmail(replace),
  'an answer to a question, by id': answer,
  'an answer to a question, by e-mail': byEmail(answer),
  'one more document': ofRequest((params, round) => {
    const body = { kind: 'other', name: `${NAME}.pdf`, pdf_base64: pdfOf(round + 1_000) };
    return core.call(added.addDocument, { params, body });
  }),
  'a withdrawal': ofRequest((params) => {
    const body = { reason: 'customer_request', message: `${NAME} is ill` };
    return core.call(requests.cancelOrderRequest, { params, body });
  }),
  'a prescription that is sent again': async (round) => {
    const { id } = (await ingest(round)).body;
    return { body: { prescription_id: id }, act: () => ingest(round, `${NAME} II`) };
  },
};

const emptied = statement<{ orders: number; order_requests: number; prescriptions: number }, [string]>(
  'spec_emptied',
  // An approval of an erased request makes an order that has nothing to empty.
  `SELECT (SELECT count(*)::int FROM core.orders WHERE org_id = $1 AND erased_at IS NOT NULL AND sequence > 1) AS orders,
     (SELECT count(*)::int FROM core.order_requests WHERE org_id = $1 AND erased_at IS NOT NULL) AS order_requests,
     (SELECT count(*)::int FROM core.prescriptions WHERE org_id = $1 AND erased_at IS NOT NULL) AS prescriptions`,
);
const counted = statement<{ orders: number; order_requests: number; prescriptions: number }, [string]>(
  'spec_counted',
  `SELECT sum(orders)::int AS orders, sum(order_requests)::int AS order_requests,
     sum(prescriptions)::int AS prescriptions FROM core.erasures WHERE org_id = $1`,
);
const unfinished = statement<{ id: string }, [string]>(
  'spec_unfinished',
  'SELECT id FROM core.erasures WHERE org_id = $1 AND finished_at IS NULL',
);
const documents = statement<{ id: string }, [string]>(
  'spec_documents_left',
  'SELECT id FROM core.documents WHERE org_id = $1',
);

async function eraseBeside(race: Race, round: number) {
  const { body, act } = await race(round);
  const apart = Math.random() * 2 * APART_MS - APART_MS;
  const after = async <Result>(ms: number, work: () => Promise<Result>) => {
    // Busy turns of the event loop, not a timer: the offset is the race itself, and no state shows when it is over.
    const startsAtMs = performance.now() + ms;
    while (performance.now() < startsAtMs) await turn();
    return work();
  };
  const erasing = after(apart, () => core.call(eraseCustomer, { body }));
  await Promise.all([erasing, after(-apart, act)]);
}

it.each(Object.entries(RACES))(
  'leaves nothing of the person beside %s, and counts it',
  async (_name, race) => {
    const { database } = test;
    await Promise.all(Array.from({ length: ROUNDS }, (_, round) => eraseBeside(race, round)));
    // On a slow machine the call ends before its erasure.
    const eraser = new Eraser(database, specKeys(database), silentRelay(), silentChanges());
    await eventually('the erasures to be done', async () => {
      await eraser.continueJobs();
      return (await database.rows(unfinished, core.orgId)).length === 0;
    });
    await writeAllOrderWords(database);
    const left = (await storedText(database, core.orgId)).match(/.{0,60}canary.{0,60}/i)?.[0];
    expect(left).toBeUndefined();
    const [counts] = await database.rows(counted, core.orgId);
    const [rows] = await database.rows(emptied, core.orgId);
    expect(counts).toEqual(rows);
    expect(await database.rows(documents, core.orgId)).toEqual([]);
  },
);
