import type { Type } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { connectBus } from '@offizin/bus/connection';
import { type OperationService, startOperationService } from '@offizin/bus/operation-service';
import type { Database } from '@offizin/pg/database';
import { TestBroker } from '@offizin/testkit/broker';
import { keysFor } from '@offizin/testkit/call-keys';
import { specDatabase } from '@offizin/testkit/database';
import { testEnvironment } from '@offizin/testkit/environment';
import { orderCoreSchema } from '../db/schema';
import { type HandlerTable, OrderCoreFixture } from './spec-fixture';

export interface SpecDatabase {
  readonly database: Database;
  readonly url: string;
}

interface FixtureOptions {
  /** Operations besides those of orders. */
  further?: (database: Database) => HandlerTable;
  /** One organization for all tests of the file, instead of a new one for each test. */
  isShared?: boolean;
}

/** For specs only: one database per file, and `take` receives the organization of each test before it starts. */
export function coreSpec(
  take: (core: OrderCoreFixture) => void,
  { further = () => [], isShared = false }: FixtureOptions = {},
): SpecDatabase {
  const test = databaseSpec();
  const make = async (): Promise<void> =>
    take(await OrderCoreFixture.make(test.database, further(test.database)));
  if (isShared) beforeAll(make);
  else beforeEach(make);
  return test;
}

/** For specs only: one database per file, without an organization. */
export function databaseSpec(): SpecDatabase {
  return specDatabase(orderCoreSchema);
}

export interface SpecBroker extends SpecDatabase {
  readonly broker: TestBroker;
  readonly bus: Bus;
}

/** For specs only: a database and a broker per file; `catalog` answers the calls of order-core to the catalog. */
export function brokerSpec(catalog?: Type): SpecBroker {
  const test = databaseSpec();
  let broker: TestBroker | undefined;
  let bus: Bus | undefined;
  let service: OperationService | undefined;
  beforeAll(async () => {
    broker = await TestBroker.start();
    bus = new Bus(await broker.connectAs('order-core'), keysFor('order-core'));
    if (!catalog) return;
    const connection = await broker.connect('catalog');
    const keys = keysFor('catalog');
    service = await startOperationService({ service: 'catalog', module: catalog, connection, keys });
  });
  afterAll(async () => {
    await service?.stop();
    await broker?.stop();
  });
  return {
    get database() {
      return test.database;
    },
    get url() {
      return test.url;
    },
    get broker() {
      return opened(broker);
    },
    get bus() {
      return opened(bus);
    },
  };
}

/** For specs only: a connection of order-core to the broker of the test run. */
export function sharedBusSpec(): { readonly bus: Bus } {
  let bus: Bus | undefined;
  beforeAll(async () => {
    const environment = testEnvironment();
    const connection = await connectBus({ ...environment, name: 'order-core' });
    bus = new Bus(connection, keysFor('order-core', environment.allCallKeys));
  });
  afterAll(() => bus?.connection.close());
  return {
    get bus() {
      return opened(bus);
    },
  };
}

function opened<T>(resource: T | undefined): T {
  if (resource === undefined) throw new Error('available from the first beforeAll on');
  return resource;
}
