import { eventually } from './eventually';
import { json } from './http';
import type { TestOrganization } from './organization';
import { orderRequest } from './order-request';
import { makePdf } from './pdf';
import { type TestPlatform, uniqueTag } from './platform';
import type { WebhookReceiver } from './webhook-receiver';

/** Environment of audited calls, and the objects that they need. */
export interface AuditWorld {
  platform: TestPlatform;
  own: TestOrganization;
  receiver: WebhookReceiver;
}

export const PDF = makePdf().toString('base64');
export const EMAIL = `${uniqueTag()}@example.org`;

export async function made(world: AuditWorld, path: string, body: object): Promise<string> {
  const answer = await world.own.api('POST', path, body);
  if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.body.toString()}`);
  return json<{ id: string }>(answer).id;
}

export async function submitted(world: AuditWorld, payload: object = {}): Promise<string> {
  return world.own.submit(orderRequest({ customer_email: EMAIL, ...payload }));
}

export async function stocked(world: AuditWorld): Promise<string> {
  const [p1Id = ''] = await world.platform.catalogProducts(1);
  await world.own.stock(p1Id, 5);
  return p1Id;
}

export async function attached(
  world: AuditWorld,
): Promise<{ shop_id: string; p1_id: string; object: string }> {
  const about = { shop_id: world.own.shops[0].shopId, p1_id: await stocked(world) };
  const { status } = await world.own.api('POST', '/shops/attach-product', about);
  if (status !== 201) throw new Error(`attach-product answered ${status}`);
  return { ...about, object: `shop-product:${about.shop_id}:${about.p1_id}` };
}

export const webhook = (world: AuditWorld): Promise<string> =>
  made(world, '/webhooks', { url: world.receiver.url });
export const ingested = (world: AuditWorld): Promise<string> => {
  const about = { 'Customer Email': EMAIL, 'Shop Id': world.own.shops[0].shopId };
  return made(world, '/prescriptions/ingest', {
    ...about,
    'External Id': uniqueTag(),
    'Receipt Pdf Base64': PDF,
  });
};

/** A request whose prescription cannot be fetched. */
export async function failedFetch(world: AuditWorld): Promise<string> {
  const id = await submitted(world, { prescription_pdf_url: 'https://localhost:1/prescription.pdf' });
  await eventually(
    'the fetch to have failed',
    async () => {
      const detail = json<{ prescription: { state: string } | null }>(
        await world.own.api('GET', `/order-requests/${id}`),
      );
      return detail.prescription?.state === 'failed';
    },
    30_000,
  );
  return id;
}
