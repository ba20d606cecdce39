import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { readAuditSearch } from './audit/audit-search';
import { useLive } from './live/use-live';
import { readOrderSearch } from './orders/orders/order-search';
import { readPackingSearch } from './orders/packing/packing-search';
import { readPrescriptionSearch } from './prescriptions/prescription-search';
import { readPrintSearch } from './orders/printing/print-search';
import { readProductSearch } from './products/product-search';
import { readRecallSearch } from './recall/recall-search';
import { readReportSearch } from './reports/report-search';
import { readDaySearch, readSearch } from './requests/review/filters';
import { readSignInSearch } from './signing-in/sign-in-search';
import { readStockSearch } from './stock/stock-search';
import { parseAddress, writeAddress } from './lists/address';
import { readCustomerSearch } from './customer/customer-search';
import { NotFoundPage, PageFault, pageFor, PageLoading } from './frame/page-states';
import { sessionQuery } from './session/session.calls';
import { Shell } from './frame/shell';
import { readAnyDeliverySearch, readDeliverySearch } from './webhooks/delivery-search';

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import('./signing-in/sign-in.page')),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./signing-in/welcome.page')),
});

/** Everything behind signing in. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.query({ ...sessionQuery, staleTime: 'static' });
    if (session) return;
    const isStart = location.pathname === '/';
    throw redirect({ to: '/sign-in', search: isStart ? {} : { to: `/console${location.href}` } });
  },
  component: Inside,
});

function Inside() {
  useLive();
  return <Shell />;
}

const start = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: ({ context }) => {
    const role = context.queries.getQueryData(sessionQuery.queryKey)?.staff.role;
    throw redirect({ to: role === 'clerk' ? '/orders' : '/requests', replace: true });
  },
});

const requests = createRoute({
  getParentRoute: () => inside,
  path: '/requests',
  validateSearch: readSearch,
  component: pageFor('order_requests.read', () => import('./requests/inbox/requests.page')),
});

const day = createRoute({
  getParentRoute: () => inside,
  path: '/requests/day',
  validateSearch: readDaySearch,
  component: pageFor('order_requests.read', () => import('./requests/inbox/day.page')),
});

/** Every role reads orders. */
const orders = createRoute({
  getParentRoute: () => inside,
  path: '/orders',
  validateSearch: readOrderSearch,
  component: lazyRouteComponent(() => import('./orders/orders/orders.page')),
});

const customer = createRoute({
  getParentRoute: () => inside,
  path: '/customer',
  validateSearch: readCustomerSearch,
  component: lazyRouteComponent(() => import('./customer/customer.page')),
});

const packing = createRoute({
  getParentRoute: () => inside,
  path: '/orders/pack',
  validateSearch: readPackingSearch,
  component: lazyRouteComponent(() => import('./orders/packing/packing.page')),
});

/** Every role reads the stock. */
const stock = createRoute({
  getParentRoute: () => inside,
  path: '/stock',
  validateSearch: readStockSearch,
  component: lazyRouteComponent(() => import('./stock/stock.page')),
});

const recall = createRoute({
  getParentRoute: () => inside,
  path: '/recall',
  validateSearch: readRecallSearch,
  component: lazyRouteComponent(() => import('./recall/recall.page')),
});

/** Every role reads products. */
const products = createRoute({
  getParentRoute: () => inside,
  path: '/products',
  validateSearch: readProductSearch,
  component: lazyRouteComponent(() => import('./products/products.page')),
});

const prescriptions = createRoute({
  getParentRoute: () => inside,
  path: '/prescriptions',
  validateSearch: readPrescriptionSearch,
  component: pageFor('prescriptions.read', () => import('./prescriptions/prescriptions.page')),
});

const reports = createRoute({
  getParentRoute: () => inside,
  path: '/reports',
  validateSearch: readReportSearch,
  component: pageFor('reports.read', () => import('./reports/reports.page')),
});

const print = createRoute({
  getParentRoute: () => inside,
  path: '/print',
  validateSearch: readPrintSearch,
  component: lazyRouteComponent(() => import('./orders/printing/print.page')),
});

const webhooks = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks',
  component: pageFor('webhooks.read', () => import('./webhooks/webhooks.page')),
});

const deliveries = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/deliveries',
  validateSearch: readAnyDeliverySearch,
  component: pageFor('webhooks.read', () => import('./webhooks/deliveries.page')),
});

const endpoint = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/$webhookId',
  validateSearch: readDeliverySearch,
  component: pageFor('webhooks.read', () => import('./webhooks/endpoint.page')),
});

/** The page of the endpoint shows the delivery beside the list. */
const delivery = createRoute({ getParentRoute: () => endpoint, path: '/deliveries/$deliveryId' });

const audit = createRoute({
  getParentRoute: () => inside,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: pageFor('audit.read', () => import('./audit/audit.page')),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('./frame/settings-frame')),
});

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/me', replace: true });
  },
});

const me = createRoute({
  getParentRoute: () => settings,
  path: '/me',
  component: lazyRouteComponent(() => import('./settings/me/me.page')),
});

const reviewSettings = createRoute({
  getParentRoute: () => settings,
  path: '/review',
  component: pageFor('order_requests.read', () => import('./settings/review/review-settings.page')),
});

const staff = createRoute({
  getParentRoute: () => settings,
  path: '/staff',
  component: pageFor('staff.read', () => import('./settings/staff/staff.page')),
});

const signOn = createRoute({
  getParentRoute: () => settings,
  path: '/sign-on',
  component: pageFor('staff.write', () => import('./settings/sign-on/sign-on.page')),
});

const apiKeys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: pageFor('settings.read', () => import('./settings/keys/api-keys.page')),
});

const shops = createRoute({
  getParentRoute: () => settings,
  path: '/shops',
  component: pageFor('settings.read', () => import('./settings/shops/shops.page')),
});

const workflow = createRoute({
  getParentRoute: () => settings,
  path: '/workflow',
  component: pageFor('settings.write', () => import('./settings/workflow/workflow.page')),
});

const routeTree = root.addChildren([
  signIn,
  welcome,
  inside.addChildren([
    start,
    requests,
    day,
    orders,
    customer,
    packing,
    stock,
    recall,
    products,
    prescriptions,
    reports,
    print,
    audit,
    webhooks,
    deliveries,
    endpoint.addChildren([delivery]),
    settings.addChildren([settingsStart, me, reviewSettings, staff, signOn, apiKeys, shops, workflow]),
  ]),
]);

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/console',
    parseSearch: parseAddress,
    stringifySearch: writeAddress,
    // What no screen knows leaves the address.
    search: { strict: true },
    context: { queries },
    defaultErrorComponent: PageFault,
    defaultPendingComponent: PageLoading,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    defaultNotFoundComponent: NotFoundPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
