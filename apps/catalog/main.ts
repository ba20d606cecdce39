import '@offizin/runtime/stop-during-start';
import type { Bus } from '@offizin/bus/bus';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import { settleAttempt } from '@offizin/contracts/products/reservations';
import { readFourEyes } from '@offizin/contracts/requests/review-settings';
import { DirectoryReplica } from '@offizin/directory/replica';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { newRequestId } from '@offizin/runtime/request-id';
import { runService, type ServiceContext, type ServiceParts } from '@offizin/service/service';
import { adjustInventory } from '@offizin/contracts/products/inventory';
import type { Operation } from '@offizin/contracts/calls/operation';
import { getProduct, listProducts, listShops, overrideProduct } from '@offizin/contracts/products/products';
import { CallShares, type CheapCalls } from '@offizin/operations/call-shares';
import { CatalogModule } from './catalog.module';
import { CatalogConfig } from './config';
import { catalogSchema } from './db/schema';
import { OrderEvents } from './order-events/order-events.handlers';
import { type AskFourEyes, FourEyesGuard } from './products/four-eyes';
import { type AskAttempt, OldHolds } from './reservations/old-holds';
import { ShopDirectory } from './shops/shops.handlers';

const NAME = 'catalog';
const SWEEP_PAUSE_MS = 5_000;
const FORGET_PAUSE_MS = 3600 * 1000;
/** Shorter than the lease of a hold under inquiry. */
const ASK_TIMEOUT_MS = 5_000;
/** A person waits. */
const FOUR_EYES_TIMEOUT_MS = 1_000;

void runService({
  name: NAME,
  config: CatalogConfig,
  database: catalogSchema,
  // Events that concern reserved stock; see subjectOfEvent.
  eventSubjects: 'events.stock.>',
  prepare,
});

async function prepare(context: ServiceContext<CatalogConfig>): Promise<ServiceParts> {
  const { config, management, database, connection, bus, relay } = context;
  const directory = new DirectoryReplica(connection);
  directory.observe();
  directory.start();
  management.addCheck('directory', () => directory.checkSynchronized());
  management.addNotice('directory', () => directory.notice());
  const orderEvents = new OrderEvents(database, () => relay.wake());
  const oldHolds = new OldHolds(database, askOrderCore(bus));
  // Without the directory this process would refuse calls that another replica can serve.
  await directory.untilSynchronized();
  return {
    module: CatalogModule,
    parts: [database, relay, new ShopDirectory(directory), new FourEyesGuard(askFourEyes(bus))],
    takeEvents: (events) => orderEvents.take(events),
    shares: catalogShares(config.databasePool),
    background: [
      new PeriodicWork('settle old holds', SWEEP_PAUSE_MS, () => oldHolds.sweep()),
      new PeriodicWork('forget old events', FORGET_PAUSE_MS, () => orderEvents.forgetOld()),
    ],
    close: () => directory.stop(),
  };
}

function askOrderCore(bus: Bus): AskAttempt {
  return (order_request_id, attempt) => {
    const caller = serviceCaller(NAME, newRequestId());
    return bus.call(settleAttempt, caller, { order_request_id, attempt }, ASK_TIMEOUT_MS);
  };
}

function askFourEyes(bus: Bus): AskFourEyes {
  return ({ requestId, orgId }) =>
    bus.call(readFourEyes, serviceCaller(NAME, requestId), { org_id: orgId }, FOUR_EYES_TIMEOUT_MS);
}

const CHEAP: CheapCalls = new Map<Operation, string[]>([
  // Without other parameters this is the first page, which is coalesced.
  [listProducts, ['shop_id', 'limit']],
  [getProduct, ['shop_id']],
  [listShops, []],
  [adjustInventory, []],
  [overrideProduct, []],
]);

function catalogShares(databasePool: number): CallShares {
  return new CallShares({ databasePool, cheap: CHEAP });
}
