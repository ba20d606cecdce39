import type { Bus } from '@offizin/bus/bus';
import { Egress } from '@offizin/egress/send';
import type { Database } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { DataKeys } from '../crypto/data-keys.store';
import { DocumentFetcher } from '../documents/documents/document-fetcher';
import { DocumentReads } from '../documents/documents/document-reads';
import { DocumentThreads } from '../documents/documents/document-threads';
import { CustomersHandlers } from '../erasure/customers.handlers';
import { Eraser } from '../erasure/eraser';
import { LotsHandlers } from '../orders/lots/lots.handlers';
import { ParcelsHandlers } from '../orders/parcels/parcels.handlers';
import { OrderNotesHandlers } from '../orders/pipeline/order-notes.handlers';
import { SubmissionHandlers } from '../requests/intake/submission.handlers';
import { ClarificationHandlers } from '../requests/review/clarification.handlers';
import { ExpiryRule } from '../requests/review/decision';
import { expireOld } from '../requests/review/expiry';
import { LiveChanges } from '../requests/review/first-approvals';
import { OfferHandlers } from '../requests/review/offer.handlers';
import { ReviewHandlers } from '../requests/review/review.handlers';
import { SenderHandlers } from '../requests/review/sender.handlers';
import { writeOrderWords } from '../requests/search/order-words.store';
import { searchOrders, searchRequests } from '../requests/search/search.store';
import { databaseSpec, sharedBusSpec } from './core-spec';
import {
  approvalHandlers,
  type HandlerTable,
  OrderCoreFixture,
  silentChanges,
  silentRelay,
} from './spec-fixture';

/** Opens no connection: nothing is fetched in these specs. */
const egress = new Egress({ allowHttp: false, allowLoopback: false });

export function specKeys(database: Database, masterKey = Buffer.alloc(32, 1)): DataKeys {
  return new DataKeys(database, [masterKey]);
}

export interface DocumentParts {
  threads: DocumentThreads;
  fetcher: DocumentFetcher;
  reads: DocumentReads;
}

/** For specs only: the parts of documents, never started, so that a document given as URL stays `waiting`. */
export function documentParts(database: Database, dataKeys: DataKeys): DocumentParts {
  const threads = new DocumentThreads();
  const fetcher = new DocumentFetcher(database, dataKeys, egress, threads);
  return { threads, fetcher, reads: new DocumentReads(database, dataKeys, null) };
}

/** As by default. */
const REQUEST_DAYS = 28;

/** For specs only: submission of order requests, and their decisions; approvals need a bus. */
export function requestHandlers(database: Database, dataKeys = specKeys(database), bus?: Bus): HandlerTable {
  const relay = silentRelay();
  const { threads, fetcher, reads } = documentParts(database, dataKeys);
  const changes = bus ? new LiveChanges(bus.connection) : silentChanges();
  return handlersIn(
    new SubmissionHandlers(database, relay, dataKeys, fetcher, threads),
    new ReviewHandlers(database, relay, dataKeys, reads),
    new SenderHandlers(database, relay, dataKeys, fetcher, threads),
    new ClarificationHandlers(database, relay, dataKeys, fetcher),
    new OfferHandlers(database, relay, dataKeys, fetcher, new ExpiryRule(REQUEST_DAYS), changes),
    ...(bus ? [approvalHandlers(database, bus, dataKeys)] : []),
  );
}

/** For specs only: one organization, whose requests are submitted, offered other lines, decided and erased. */
export function requestSpec(take: (core: OrderCoreFixture) => void) {
  const test = databaseSpec();
  const connected = sharedBusSpec();
  beforeAll(async () => {
    const { database } = test;
    const keys = specKeys(database);
    const further = [...requestHandlers(database, keys, connected.bus), ...erasureHandlers(database, keys)];
    take(await OrderCoreFixture.make(database, further));
  });
  return {
    get database() {
      return test.database;
    },
    get bus() {
      return connected.bus;
    },
  };
}

/** For specs only: the notes of orders. */
export function noteHandlers(database: Database, dataKeys: DataKeys): HandlerTable {
  return handlersIn(new OrderNotesHandlers(database, dataKeys));
}

/** For specs only: the parcels of orders. */
export function parcelHandlers(database: Database): HandlerTable {
  return handlersIn(new ParcelsHandlers(database, silentRelay()));
}

export function lotHandlers(database: Database): HandlerTable {
  return handlersIn(new LotsHandlers(database, silentRelay()));
}

/** For specs only: writes the words of all orders. */
export async function writeAllOrderWords(database: Database): Promise<void> {
  await writeOrderWords(database, 1_000);
}

/** For specs only: the erasure of a customer. */
export function erasureHandlers(
  database: Database,
  dataKeys: DataKeys,
  changes = silentChanges(),
): HandlerTable {
  const eraser = new Eraser(database, dataKeys, silentRelay(), changes);
  return handlersIn(new CustomersHandlers(database, dataKeys, eraser));
}

/** For specs only: expires the requests that were not decided in that many days. Returns their number. */
export function expireRequests(database: Database, days: number): Promise<number> {
  return expireOld(database, days);
}

/** How many orders and requests the search finds. */
export async function foundCounts(database: Database, dataKeys: DataKeys, orgId: string, q: string) {
  const of = { orgId, key: await dataKeys.keyOf(orgId) };
  return [(await searchOrders(database, orgId, q)).length, (await searchRequests(database, of, q)).length];
}
