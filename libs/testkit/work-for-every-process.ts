import type { TestOrganization } from './organization';
import type { TestPlatform } from './platform';
import type { WebhookReceiver } from './webhook-receiver';

/** An order with stock, and two subscriptions: its event arrives at one URL; the other refuses the connection. */
export async function workForEveryProcess(
  platform: TestPlatform,
  organization: TestOrganization,
  receiver: WebhookReceiver,
): Promise<void> {
  const [p1Id = ''] = await platform.catalogProducts(1);
  await organization.api('POST', '/webhooks', { url: receiver.url });
  const nobody = receiver.url.replace(/:\d+\//, ':1/');
  await organization.api('POST', '/webhooks', { url: nobody });
  await organization.stock(p1Id, 5);
  const { id } = await organization.createOrder();
  await receiver.waitFor((event) => event.metadata['order_id'] === id);
}
