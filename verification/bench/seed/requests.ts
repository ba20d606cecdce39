import { textPdf } from '@offizin/testkit/pdf';
import type { Bench } from '../bench';
import type { HttpRequest } from '../load/job';
import type { Tenant } from './tenants';

/** The size at which the inbox of the console is measured. */
const REQUESTS = 10_000;
const QUICK_REQUESTS = 250;
const CALLERS = 8;
/** In letters that the font of the prescriptions has. */
const FIRST_NAMES = [
  'Anna',
  'Jürgen',
  'Zoë',
  'Françoise',
  'Lukas',
  'Bärbel',
  'Günther',
  'Renée',
  'Sören',
  'Ines',
];
const LAST_NAMES = ['Weber', 'Müller', 'Schröder', 'Groß', 'Yilmaz', 'Kowalski', 'Öztürk', 'Möller', 'Lang'];
const PRODUCTS = ['Bediol', 'Bedrocan 22/1', 'Pedanios 18/1', 'Vaporizer', 'Aurora 20/1', 'Tilray THC25'];

/** The pharmacy whose inbox is full: requests with prescriptions, handed in by a partner as in reality. */
export async function tenantWithRequests(bench: Bench): Promise<Tenant> {
  const count = bench.quick ? QUICK_REQUESTS : REQUESTS;
  const tenant = await bench.tenants.get(bench.quick ? 'quick console' : 'console');
  const [found] = await bench.rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM core.order_requests WHERE org_id = $1',
    tenant.orgId,
  );
  const present = found?.count ?? 0;
  if (present >= count) return tenant;
  const requests = Array.from({ length: count - present }, (_, index) =>
    handIn(tenant, `seed-${present + index}`, present + index),
  );
  const ports = [bench.stack.ports['connector-edge']];
  await bench.load.http({ ports, callers: CALLERS, requests, count: requests.length });
  await bench.sql.query('VACUUM (ANALYZE) core.order_requests, core.documents');
  await bench.settle();
  return tenant;
}

/** One request of a partner, with a prescription of its own. */
export function handIn({ shops, integrationKey }: Tenant, reference: string, number: number): HttpRequest {
  const shop = shops[number % shops.length];
  const headers = { host: shop?.domain ?? '', apikey: integrationKey, 'content-type': 'application/json' };
  const customer = `${of(FIRST_NAMES, number)} ${of(LAST_NAMES, Math.floor(number / 7))} ${number}`;
  const items = [number, number >> 3].map((at, place) => ({
    name: of(PRODUCTS, at),
    quantity: 1 + (at % 15),
    price: 4.95 + place,
  }));
  const prescription = textPdf(
    ['Privatrezept', customer, ...items.map(({ name, quantity }) => `${quantity} Stück ${name}`)],
    ['Rückseite', reference],
  );
  const payload = {
    customer_name: customer,
    customer_email: `kundin-${number}@example.org`,
    items,
    shipping_option: number % 20 === 0 ? 'Express' : 'Versand',
    prescription_pdf_base64: prescription.toString('base64'),
  };
  const body = JSON.stringify({ source: 'telemedicine', external_reference: reference, payload });
  return { method: 'POST', path: '/api/v1/external-order', headers, body };
}

function of(list: readonly string[], number: number): string {
  return list[number % list.length] ?? '';
}
