import type { Page } from 'playwright-core';
import type { VisitedPage } from './every-look';

type Step = (page: Page) => Promise<void>;

const press =
  (...keys: string[]): Step =>
  async ({ keyboard }) => {
    for (const key of keys) await keyboard.press(key);
  };
const shown =
  (selector: string): Step =>
  (page) =>
    page.locator(selector).first().waitFor();
const click =
  (selector: string): Step =>
  (page) =>
    page.locator(selector).first().click();
const clickRowOf =
  (text: string): Step =>
  (page) =>
    page.getByRole('row').filter({ hasText: text }).first().click();

const DIALOG = shown('role=dialog');
const TIME_LINE = shown('role=region[name=/^(Verlauf|Timeline)$/] >> li');
const FIRST_ROW = click('role=row >> nth=1');
const OPEN_ORDER = [clickRowOf('Hohenstein'), shown('main address')];
const OPEN_PRODUCT = [FIRST_ROW, shown('main table')];
const OPEN_WEBHOOK = click('main ul li a');
const webhookAction = (place: number): Step =>
  click(`main [role=group] button:not([disabled]) >> nth=${place}`);
/** The button beside the heading. */
const ADD = [click('main header > button:not([disabled])'), DIALOG];

const ME = { path: '/console/settings/me', content: 'main form' };
const REQUESTS = {
  path: '/console/requests',
  content: '[role=group] button[data-kind=danger]:not([disabled])',
};
const ORDERS = { path: '/console/orders', content: 'main [role=gridcell]' };
const STAFF = { role: 'owner', path: '/console/settings/staff', content: 'main ul[aria-label] li' } as const;
const API_KEYS = { ...STAFF, path: '/console/settings/keys' } as const;
const SHOPS = { ...STAFF, path: '/console/settings/shops' } as const;
const STOCK = { role: 'owner', path: '/console/stock', content: 'main [role=gridcell]' } as const;
const PRODUCTS = { ...STOCK, path: '/console/products' } as const;
const RECALL = { path: '/console/recall', content: 'main tbody' } as const;
const WEBHOOKS = { role: 'owner', path: '/console/webhooks', content: 'main ul li a' } as const;
const DELIVERIES = { ...STOCK, path: '/console/webhooks/deliveries' } as const;
const WORKFLOW = { role: 'owner', path: '/console/settings/workflow', content: 'main ol button' } as const;
const PRESCRIPTIONS = { path: '/console/prescriptions', content: 'main [role=gridcell]' };
const AUDIT = { ...STOCK, path: '/console/audit' } as const;

/** The pages of a pharmacist and an owner. */
export const SIGNED_IN_PAGES: VisitedPage[] = [
  { name: 'requests', ...REQUESTS },
  {
    name: 'requests-none',
    path: '/console/requests?q=nobody',
    content: 'text=/passt zu diesem Filter|matches this filter/',
  },
  { name: 'day', path: '/console/requests/day', content: 'main h1' },
  { name: 'reject-dialog', ...REQUESTS, open: [press('r'), DIALOG] },
  { name: 'edit-dialog', ...REQUESTS, open: [press('e'), DIALOG] },
  { name: 'orders', ...ORDERS },
  {
    name: 'orders-selected',
    ...ORDERS,
    leavesTraces: true,
    open: [press('Shift+a'), shown('[role=group] button[data-kind=main]')],
  },
  {
    name: 'views-menu',
    ...ORDERS,
    open: [click('main header button[aria-haspopup]:not([role=combobox])'), shown('role=menu')],
  },
  { name: 'orders-none', path: '/console/orders?q=nobody', content: 'main button' },
  { name: 'order', ...ORDERS, open: OPEN_ORDER },
  {
    name: 'customer',
    ...ORDERS,
    open: [...OPEN_ORDER, click('main a[href*="/customer"]'), TIME_LINE],
  },
  { name: 'status-dialog', ...ORDERS, open: [...OPEN_ORDER, press('s'), DIALOG] },
  { name: 'parcel-dialog', ...ORDERS, open: [...OPEN_ORDER, press('t'), DIALOG] },
  { name: 'print', ...ORDERS, open: [...OPEN_ORDER, press('p'), shown('main article')] },
  { name: 'staff', ...STAFF },
  { name: 'invite-dialog', ...STAFF, open: ADD },
  { name: 'sign-on', role: 'owner', path: '/console/settings/sign-on', content: 'main form' },
  { name: 'api-keys', ...API_KEYS },
  { name: 'create-key-dialog', ...API_KEYS, open: ADD },
  {
    name: 'certification-dialog',
    ...API_KEYS,
    // The connector key is the older one.
    open: [
      click('main ul[aria-label] li button:not([disabled])'),
      click('role=menuitem >> nth=0'),
      shown('role=dialog >> code'),
    ],
  },
  { name: 'shops', ...SHOPS },
  { name: 'shop-dialog', ...SHOPS, open: [click('main ul[aria-label] button:not([disabled])'), DIALOG] },
  { name: 'audit', ...AUDIT },
  { name: 'audit-none', ...AUDIT, path: '/console/audit?object=order:none', content: 'main p' },
  { name: 'audit-entry', ...AUDIT, open: [click('role=row >> nth=2'), shown('main dl')] },
  { name: 'verify-dialog', ...AUDIT, open: [press('v'), shown('code')] },
  {
    name: 'picker',
    ...WORKFLOW,
    leavesTraces: true,
    open: [click('main [role=combobox]:visible'), shown('role=option')],
  },
  { name: 'workflow', ...WORKFLOW },
  { name: 'staff-refused', path: '/console/settings/staff', content: 'main h1' },
  { name: 'packing', path: '/console/orders/pack', content: 'main ol button' },
  {
    name: 'lot-dialog',
    path: '/console/orders/pack',
    content: 'main ol button',
    open: [press('F4'), DIALOG],
  },
  { name: 'stock', ...STOCK },
  {
    name: 'stock-item',
    ...STOCK,
    open: [
      FIRST_ROW,
      (page) => page.locator('main svg path.recharts-line-curve').waitFor({ state: 'attached' }),
    ],
  },
  {
    name: 'adjust-dialog',
    ...STOCK,
    open: [FIRST_ROW, shown('role=region[name=/^(Produkt|Product)$/]'), press('c'), DIALOG],
  },
  { name: 'recall', ...RECALL },
  { name: 'recall-lot', ...RECALL, path: '/console/recall?lot=CH-2026-07' },
  {
    name: 'hold-dialog',
    ...RECALL,
    path: '/console/recall?lot=CH-2026-07&product=P1',
    open: [press('h'), DIALOG],
  },
  { name: 'products', ...PRODUCTS },
  { name: 'product', ...PRODUCTS, open: OPEN_PRODUCT },
  { name: 'values-dialog', ...PRODUCTS, open: [...OPEN_PRODUCT, press('Shift+e'), DIALOG] },
  { name: 'webhooks', ...WEBHOOKS },
  {
    name: 'webhook-delivery',
    ...WEBHOOKS,
    open: [OPEN_WEBHOOK, clickRowOf('order_created'), shown('main dl')],
  },
  { name: 'webhook-recover', ...WEBHOOKS, open: [OPEN_WEBHOOK, webhookAction(0), DIALOG] },
  {
    name: 'webhook-edit',
    ...WEBHOOKS,
    open: [
      OPEN_WEBHOOK,
      webhookAction(1),
      click('role=dialog >> text=/^(Ausgewählte|Selected)$/'),
      shown('role=dialog >> text=inventory_low'),
    ],
  },
  { name: 'deliveries', ...DELIVERIES },
  {
    name: 'send-again',
    ...DELIVERIES,
    leavesTraces: true,
    open: [press('Shift+a', 'r'), shown('role=alertdialog')],
  },
  { name: 'prescriptions', ...PRESCRIPTIONS },
  {
    name: 'prescription',
    ...PRESCRIPTIONS,
    open: [FIRST_ROW, shown('main dl'), shown('main [data-page]')],
  },
  { name: 'reports', path: '/console/reports', content: 'main svg path.recharts-rectangle' },
  { name: 'review-settings', path: '/console/settings/review', content: 'main form' },
  { name: 'me', ...ME },
  { name: 'key-list', ...ME, leavesTraces: true, open: [press('?'), DIALOG] },
  { name: 'palette', ...ME, leavesTraces: true, open: [press('Control+k'), DIALOG] },
  {
    name: 'lock-screen',
    ...ME,
    leavesTraces: true,
    // The message that another tab sends when its person has signed out.
    open: [(page) => page.evaluate(signedOutElsewhere), shown('input[name=password]')],
  },
  { name: 'not-found', path: '/console/nothing', content: 'main h1' },
];

/** In the page; this file is compiled without the browser's types. */
declare const BroadcastChannel: new (name: string) => { postMessage: (message: null) => void };

function signedOutElsewhere(): void {
  new BroadcastChannel('offizin-session').postMessage(null);
}
