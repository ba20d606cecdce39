import type { Bus } from '@offizin/bus/bus';
import type { Database } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { Certification } from '../requests/intake/certification';
import { CertificationHandlers } from '../requests/intake/certification.handlers';
import { AddedLines } from '../requests/review/added-lines';
import { ClarificationHandlers } from '../requests/review/clarification.handlers';
import { ExpiryRule } from '../requests/review/decision';
import { OfferHandlers } from '../requests/review/offer.handlers';
import { ReviewHandlers } from '../requests/review/review.handlers';
import { type Deciders, ownDeciders } from '../requests/review/test-decisions';
import { OrderWrites } from '../orders/orders/order-writes';
import { StockClaimedOrders } from '../orders/orders/stock-claimed-orders';
import { ParcelsHandlers } from '../orders/parcels/parcels.handlers';
import { insertShop } from '../people/directory/organizations.store';
import { documentParts, requestHandlers, specKeys } from './request-handlers';
import {
  approvalHandlers,
  NO_CATALOG,
  NO_PRODUCTS,
  OrderCoreFixture,
  silentChanges,
  silentRelay,
} from './spec-fixture';

/** For specs only: an organization with a test shop, and what decides its requests. */
export async function testShop(
  database: Database,
  bus: Bus,
): Promise<{ core: OrderCoreFixture; deciders: Deciders; testShopId: string }> {
  const dataKeys = specKeys(database);
  const approval = approvalHandlers(database, bus, dataKeys);
  const { fetcher, reads } = documentParts(database, dataKeys);
  const relay = silentRelay();
  const stocked = new StockClaimedOrders(database, NO_CATALOG, dataKeys);
  const deciders = {
    approval,
    review: new ReviewHandlers(database, relay, dataKeys, reads),
    clarification: new ClarificationHandlers(database, relay, dataKeys, fetcher),
    offers: new OfferHandlers(database, relay, dataKeys, fetcher, new ExpiryRule(28), silentChanges()),
    orders: new OrderWrites(database, relay, stocked, new AddedLines(database, NO_PRODUCTS), dataKeys),
    parcels: new ParcelsHandlers(database, relay),
    ...ownDeciders(database, dataKeys),
  };
  const certification = new Certification(database);
  const own = handlersIn(approval, new CertificationHandlers(database));
  const further = [...requestHandlers(database, dataKeys), ...own].map(
    ([op, handler]) => [op, certification.observed(op, handler)] as const,
  );
  const core = await OrderCoreFixture.make(database, further);
  const testShopId = newId();
  const shop = { id: testShopId, name: 'Test', domain: `${testShopId}.example`, isTest: true };
  await insertShop(database, core.orgId, shop);
  return { core, deciders, testShopId };
}
