import type { VisitedPage } from './every-look';

const ME = { path: '/console/settings/me', content: 'main form' };
const REQUESTS = {
  path: '/console/requests',
  content: '[role=group] button[data-kind=danger]:not([disabled])',
};
const ORDERS = { path: '/console/orders', content: 'main [role=gridcell]' };
const STAFF = { role: 'owner', path: '/console/settings/staff', content: 'main ul[aria-label] li' } as const;
const API_KEYS = {
  role: 'owner',
  path: '/console/settings/keys',
  content: 'main ul[aria-label] li',
} as const;
const SHOPS = { role: 'owner', path: '/console/settings/shops', content: 'main ul[aria-label] li' } as const;
const STOCK = { role: 'owner', path: '/console/stock', content: 'main [role=gridcell]' } as const;
const PRODUCTS = { ...STOCK, path: '/console/products' } as const;
const WEBHOOKS = { role: 'owner', path: '/console/webhooks', content: 'main ul li a' } as const;
const DELIVERIES = {
  role: 'owner',
  path: '/console/webhooks/deliveries',
  content: 'main [role=gridcell]',
} as const;
const PRESCRIPTIONS = { path: '/console/prescriptions', content: 'main [role=gridcell]' };
const AUDIT = { role: 'owner', path: '/console/audit', content: 'main [role=gridcell]' } as const;
/** The pages of a pharmacist and an owner. */
export const SIGNED_IN_PAGES: VisitedPage[] = [
  { name: 'requests', ...REQUESTS },
  { name: 'requests-none', path: '/console/requests?q=nobody', content: 'main button' },
  {
    name: 'reject-dialog',
    ...REQUESTS,
    open: async (page) => {
      await page.keyboard.press('r');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'edit-dialog',
    ...REQUESTS,
    open: async (page) => {
      await page.keyboard.press('e');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'orders', ...ORDERS },
  {
    name: 'orders-selected',
    ...ORDERS,
    leavesTraces: true,
    open: async (page) => {
      await page.keyboard.press('Shift+a');
      await page.locator('[role=group] button[data-kind=main]').waitFor();
    },
  },
  {
    name: 'views-menu',
    ...ORDERS,
    open: async (page) => {
      await page.locator('main header button[aria-haspopup]').click();
      await page.getByRole('menu').waitFor();
    },
  },
  { name: 'orders-none', path: '/console/orders?q=nobody', content: 'main button' },
  {
    name: 'order',
    ...ORDERS,
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'Hohenstein' }).first().click();
      await page.locator('main address').waitFor();
    },
  },
  {
    name: 'customer',
    ...ORDERS,
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'Hohenstein' }).first().click();
      await page.locator('main a[href*="/customer"]').click();
      await page.locator('main h2').first().waitFor();
    },
  },
  {
    name: 'status-dialog',
    ...ORDERS,
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'Hohenstein' }).first().click();
      await page.locator('main address').waitFor();
      await page.keyboard.press('s');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'print',
    ...ORDERS,
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'Hohenstein' }).first().click();
      await page.locator('main address').waitFor();
      await page.keyboard.press('p');
      await page.locator('main article').waitFor();
    },
  },
  { name: 'staff', ...STAFF },
  {
    name: 'invite-dialog',
    ...STAFF,
    open: async (page) => {
      await page.locator('main h1 + button:not([disabled])').click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'sign-on', role: 'owner', path: '/console/settings/sign-on', content: 'main form' },
  { name: 'api-keys', ...API_KEYS },
  {
    name: 'create-key-dialog',
    ...API_KEYS,
    open: async (page) => {
      await page.locator('main h1 + button:not([disabled])').click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'shops', ...SHOPS },
  {
    name: 'shop-dialog',
    ...SHOPS,
    open: async (page) => {
      await page.locator('main ul[aria-label] button:not([disabled])').first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'audit', ...AUDIT },
  { name: 'audit-none', ...AUDIT, path: '/console/audit?object=order:none', content: 'main p' },
  {
    name: 'audit-entry',
    ...AUDIT,
    open: async (page) => {
      await page.getByRole('row').nth(2).click();
      await page.locator('main dl').waitFor();
    },
  },
  {
    name: 'verify-dialog',
    ...AUDIT,
    open: async (page) => {
      await page.keyboard.press('v');
      await page.locator('code').waitFor();
    },
  },
  { name: 'workflow', role: 'owner', path: '/console/settings/workflow', content: 'main ol button' },
  { name: 'staff-refused', path: '/console/settings/staff', content: 'main h1' },
  { name: 'packing', path: '/console/orders/pack', content: 'main ol button' },
  { name: 'stock', ...STOCK },
  {
    name: 'stock-item',
    ...STOCK,
    open: async (page) => {
      await page.getByRole('row').nth(1).click();
      await page.locator('main svg path.recharts-line-curve').waitFor({ state: 'attached' });
    },
  },
  {
    name: 'adjust-dialog',
    ...STOCK,
    open: async (page) => {
      await page.getByRole('row').nth(1).click();
      await page.getByRole('region', { name: /^(Produkt|Product)$/ }).waitFor();
      await page.keyboard.press('c');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'products', ...PRODUCTS },
  {
    name: 'product',
    ...PRODUCTS,
    open: async (page) => {
      await page.getByRole('row').nth(1).click();
      await page.locator('main table').waitFor();
    },
  },
  {
    name: 'values-dialog',
    ...PRODUCTS,
    open: async (page) => {
      await page.getByRole('row').nth(1).click();
      await page.locator('main table').waitFor();
      await page.keyboard.press('Shift+e');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'webhooks', ...WEBHOOKS },
  {
    name: 'webhook-delivery',
    ...WEBHOOKS,
    open: async (page) => {
      await page.locator('main ul li a').click();
      await page.getByRole('row').filter({ hasText: 'order_created' }).first().click();
      await page.locator('main dl').waitFor();
    },
  },
  {
    name: 'webhook-recover',
    ...WEBHOOKS,
    open: async (page) => {
      await page.locator('main ul li a').click();
      await page.locator('main header [role=group] button:not([disabled])').nth(1).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'webhook-edit',
    ...WEBHOOKS,
    open: async (page) => {
      await page.locator('main ul li a').click();
      await page.locator('main header [role=group] button:not([disabled])').nth(2).click();
      await page
        .getByRole('dialog')
        .getByText(/^(Ausgewählte|Selected)$/)
        .click();
      await page.getByRole('dialog').getByText('inventory_low').waitFor();
    },
  },
  { name: 'deliveries', ...DELIVERIES },
  {
    name: 'send-again',
    ...DELIVERIES,
    leavesTraces: true,
    open: async (page) => {
      await page.keyboard.press('Shift+a');
      await page.keyboard.press('r');
      await page.getByRole('alertdialog').waitFor();
    },
  },
  { name: 'prescriptions', ...PRESCRIPTIONS },
  {
    name: 'prescription',
    ...PRESCRIPTIONS,
    open: async (page) => {
      await page.getByRole('row').nth(1).click();
      await page.locator('main dl').waitFor();
      await page.locator('main [data-page]').first().waitFor();
    },
  },
  { name: 'reports', path: '/console/reports', content: 'main svg path.recharts-rectangle' },
  { name: 'review-settings', path: '/console/settings/review', content: 'main form' },
  { name: 'me', ...ME },
  {
    name: 'key-list',
    ...ME,
    leavesTraces: true,
    open: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'palette',
    ...ME,
    leavesTraces: true,
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'lock-screen',
    ...ME,
    leavesTraces: true,
    open: async (page) => {
      // The message that another tab sends when its person has signed out.
      await page.evaluate(signedOutElsewhere);
      await page.locator('input[name=password]').waitFor();
    },
  },
  { name: 'not-found', path: '/console/nothing', content: 'main h1' },
];

/** In the page; this file is compiled without the browser's types. */
declare const BroadcastChannel: new (name: string) => { postMessage: (message: null) => void };

function signedOutElsewhere(): void {
  new BroadcastChannel('offizin-session').postMessage(null);
}
