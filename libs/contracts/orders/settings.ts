import { Flag, FreeObject, OneOf, Text } from '../calls/fields';
import { operation } from '../calls/operation';
import { ORDER_STATUSES, type OrderStatus } from './orders';
import { Described } from '../calls/schema';

/** Settings of an organization: the workflow of its orders, whether stock follows them, and its shops. */

const VERSION = { maxLength: 16, description: 'The ETag, for If-Match, is this text in quotes' };
const VERSION_READ = {
  ...VERSION,
  optional: true,
  description: 'As it was read: 412 when there is another one, as by If-Match',
};

export const WORKFLOW_MODES = ['default', 'open', 'custom'] as const;
export type WorkflowMode = (typeof WORKFLOW_MODES)[number];

/** An order in one of these is closed: it takes payment, flags and metadata (docs/contract.md#orders). */
export const CLOSED_STATUSES = [
  'shipped',
  'picked_up',
  'completed',
  'cancelled',
] as const satisfies OrderStatus[];
export const CLOSED_ORDER_RULES = ['refuse', 'allow'] as const;
export type ClosedOrderRule = (typeof CLOSED_ORDER_RULES)[number];
const CLOSED_ORDERS =
  'New lines, amounts, customer or delivery of a shipped, picked_up, completed or cancelled order: refuse answers 409 order_closed without `force`, allow takes them';

@Described('Which status of an order may follow which, and whether closed orders may change')
export class WorkflowBody {
  @OneOf(WORKFLOW_MODES, {
    description: 'default: the pipeline; open: any status from any; custom: transitions',
  })
  mode!: WorkflowMode;
  @FreeObject({
    optional: true,
    description: `Of mode custom, or as it was read: from each status the allowed next ones; a status left out is final. Statuses: ${ORDER_STATUSES.join(', ')}`,
  })
  transitions?: Record<string, unknown>;
  @OneOf(CLOSED_ORDER_RULES, { optional: true, description: `${CLOSED_ORDERS}. Left out, it stays` })
  closed_orders?: ClosedOrderRule;
  @Text(VERSION_READ) version?: string;
}

@Described('Which status of an order may follow which, and whether closed orders may change')
export class WorkflowResponse {
  @OneOf(WORKFLOW_MODES, {
    description: 'default: the pipeline; open: any status from any; custom: own transitions',
  })
  mode!: WorkflowMode;
  @FreeObject({ description: 'From each status the statuses that an order may move to' })
  transitions!: Record<OrderStatus, readonly OrderStatus[]>;
  @OneOf(CLOSED_ORDER_RULES, { description: CLOSED_ORDERS }) closed_orders!: ClosedOrderRule;
  @Text(VERSION) version!: string;
}

@Described('Whether stock follows the orders of integrators')
export class StockSettings {
  @Flag({
    description:
      'Orders that integrators create or change reserve the stock of their lines that name a p1_id of the inventory; cancelling releases, shipping or handing over sells it. false: only approved order requests do, and changes of the lines of their orders. Reopening an order books back what was sold and reserves all of its lines, or answers 409 out_of_stock',
  })
  stock_follows_orders!: boolean;
}

@Described('Settings of a shop')
export class ShopSettings {
  @Text() shop_id!: string;
  @Text({ description: 'Name of the shop' }) name!: string;
  @Text({ maxLength: 253, description: 'Host name the connector serves the shop on; unique on the platform' })
  domain!: string;
  @Flag({ description: 'false: the connector answers 404 on its domain' }) is_active!: boolean;
  @Flag({ description: 'true: a shop for tests, for ever' }) is_test!: boolean;
  @Text(VERSION) version!: string;
}

@Described('Changes of the settings of a shop. Fields left out keep their value')
export class ShopSettingsBody {
  @Text({ optional: true, minLength: 1, description: 'Name of the shop' }) name?: string;
  @Text({
    optional: true,
    minLength: 1,
    maxLength: 253,
    description: 'Host name that the connector serves the shop on; unique on the platform',
  })
  domain?: string;
  @Flag({ optional: true, description: 'false: the connector answers 404 on its domain' })
  is_active?: boolean;
  @Text(VERSION_READ) version?: string;
  @Text({ optional: true, description: 'As it was read; another one is a 400' }) shop_id?: string;
  @Flag({
    optional: true,
    description: 'As it was read; another one is a 400. POST of shops makes a test shop',
  })
  is_test?: boolean;
}

@Described(
  'A new test shop: what is in it is marked, takes no stock and counts nowhere. The operator of the platform makes every other shop',
)
export class TestShopBody {
  @Text({ minLength: 1, description: 'Name of the shop' }) name!: string;
  @Text({
    minLength: 1,
    maxLength: 253,
    description: 'Host name that the connector serves it on, below the domain of a shop of the organization',
  })
  domain!: string;
  @Flag({ description: 'true: a shop for tests, for ever' }) is_test!: boolean;
}

const PATH = '/api/v2/public/orgs/{orgId}';

export const getWorkflow = operation({
  name: 'settings.get-workflow',
  summary: 'Read the workflow of orders',
  access: 'settings.read',
  path: `${PATH}/settings/workflow`,
  hasEntityTag: true,
  reply: WorkflowResponse,
});

export const setWorkflow = operation({
  name: 'settings.set-workflow',
  summary: 'Choose the workflow of orders',
  access: 'settings.write',
  method: 'PUT',
  path: `${PATH}/settings/workflow`,
  body: WorkflowBody,
  hasEntityTag: true,
  reply: WorkflowResponse,
});

export const getStockSettings = operation({
  name: 'settings.get-stock',
  summary: 'Read whether stock follows the orders of integrators',
  access: 'settings.read',
  path: `${PATH}/settings/stock`,
  reply: StockSettings,
});

export const setStockSettings = operation({
  name: 'settings.set-stock',
  summary: 'Choose whether stock follows the orders of integrators',
  access: 'settings.write',
  method: 'PUT',
  path: `${PATH}/settings/stock`,
  body: StockSettings,
  reply: StockSettings,
});

export const getShopSettings = operation({
  name: 'settings.get-shop',
  summary: "Read a shop's settings",
  access: 'settings.read',
  path: `${PATH}/shops/{shopId}`,
  hasEntityTag: true,
  reply: ShopSettings,
});

export const createTestShop = operation({
  name: 'settings.create-test-shop',
  summary: 'Create a test shop',
  refuses: ['conflict'],
  service: 'order-core',
  access: 'settings.write',
  method: 'POST',
  path: `${PATH}/shops`,
  body: TestShopBody,
  reply: ShopSettings,
  statuses: [201],
});

export const updateShopSettings = operation({
  name: 'settings.update-shop',
  summary: "Change a shop's name, domain or activity",
  access: 'settings.write',
  method: 'PUT',
  path: `${PATH}/shops/{shopId}`,
  body: ShopSettingsBody,
  hasEntityTag: true,
  reply: ShopSettings,
});
