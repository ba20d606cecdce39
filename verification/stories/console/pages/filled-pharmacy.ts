import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { type TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { newOrder } from '../orders/list-screens';
import {
  newPharmacy,
  type Pharmacy,
  prescriptionFor,
  submitRight,
  submitWith,
} from '../requests/review-screen';

const LONG_NAME = 'Anna-Katharina von Hohenstein-Wernigerode';
/** It turns what follows, and has a word in two parts. */
const TURNED_NAME = 'Blü\u200bten \u202e22/1\u202c Kush Mint';

const LOT = 'CH-2026-07';

/** A pharmacy that has something to show on every page, long names included. */
export async function filledPharmacy(platform: TestPlatform): Promise<Pharmacy> {
  const pharmacy = await newPharmacy(platform);
  const { organization } = pharmacy;
  // Nothing listens there.
  await organization.api('POST', '/webhooks', { url: 'http://127.0.0.1:9/webhooks/service' });
  await submitRight(organization, LONG_NAME);
  await submitRight(organization, 'Bodo Beck');
  const turned = [{ name: TURNED_NAME, quantity: 2, price: 3.5 }];
  await submitWith(organization, 'Ohne Rezept', { items: turned });
  const long = await newOrder(organization, LONG_NAME, {
    order_number: 'B-2026-000017',
    payment_reference: 'PP-7XK',
    customer_email: 'anna@kunden.example',
    items: ['Bediol', TURNED_NAME, 'Vaporizer'].map((name) => ({ name, qty: 15, price: 9.5 })),
  });
  const bodo = { payment_status: 'paid', shipping_option: 'Abholung' };
  const packed = await newOrder(organization, 'Bodo Beck', bodo);
  await organization.api('PATCH', `/orders/${packed}/status`, { status: 'awaiting_packing' });
  for (const id of [long, packed]) {
    await organization.api('POST', `/orders/${id}/parcels`, {
      carrier: 'dhl',
      tracking_number: '00340434161094042557',
    });
    await organization.api('POST', `/orders/${id}/parcels`, {
      carrier: 'other',
      tracking_number: 'X'.repeat(40),
    });
    const lots = [
      { line: 1, lot: 'W'.repeat(20), expires_on: '2099-12-31', test_number: 'P'.repeat(40), quantity: 1 },
      { line: 1, lot: 'AB1', quantity: 2 },
    ];
    await organization.api('PUT', `/orders/${id}/lots`, { lots });
  }
  for (const id of [long, packed])
    await organization.api('PUT', `/orders/${id}/lots`, { lots: [{ line: 1, lot: LOT, quantity: 2 }] });
  await tryOut(organization);
  await stockUp(platform, organization);
  await handInPrescription(organization, 'anna-katharina.von.hohenstein@kunden.example');
  return pharmacy;
}

/** A partner has begun its certification. */
async function tryOut(organization: TestOrganization): Promise<void> {
  const place = { name: 'Probe', domain: `probe.${organization.shops[0].domain}`, is_test: true };
  const made = await organization.api('POST', '/shops', place);
  const { shop_id: shopId, domain } = json<{ shop_id: string; domain: string }>(made);
  const shop = { shopId, domain };
  await eventually('the connector to know the test shop', async () => {
    const answer = await organization.connector({ method: 'GET', path: '/api/v1/shop', shop });
    return answer.status === 200;
  });
  await organization.submit(orderRequest(), shop);
}

/** Much, little and nothing of a product. */
async function stockUp(platform: TestPlatform, organization: TestOrganization): Promise<void> {
  const [much = '', little = '', nothing = ''] = await platform.catalogProducts(3);
  await organization.stock(much, 1200);
  await organization.stock(little, 7);
  await organization.stock(nothing, 0);
  const sold = { p1_id: much, delta: -30, reason: 'damaged', note: 'Karton nass', reference: 'LS-2026-7' };
  await organization.api('POST', '/inventory/adjust', sold);
  await organization.api('POST', '/lots/holds', { p1_id: much, lot: LOT, reason: 'Rückruf 17/2026' });
  await organization.api('PUT', `/products/${much}`, { name: TURNED_NAME });
  const own = { price: 12.5, description: 'Getrocknete Blüten, unzerkleinert.' };
  const attached = { shop_id: organization.shops[0].shopId, p1_id: much, overrides: own };
  await organization.api('POST', '/shops/attach-product', attached);
}

/** With a receipt and with fields of the platform's own. Resolves with its id. */
export async function handInPrescription(
  organization: TestOrganization,
  email: string,
  [first, last] = ['Anna-Katharina', 'von Hohenstein-Wernigerode'],
): Promise<string> {
  const answer = await organization.api('POST', '/prescriptions/ingest', {
    'Shop Id': organization.shops[0].shopId,
    'External Id': uniqueTag(),
    'Customer Email': email,
    'Customer First Name': first,
    'Customer Last Name': last,
    'Order Total Amount': 142.5,
    'Questionnaire Indication': 'Chronische Schmerzen',
    'Further Answers': { allergies: ['keine'] },
    'Receipt Pdf Base64': prescriptionFor(`${first} ${last}`).toString('base64'),
  });
  return json<{ id: string }>(answer).id;
}
