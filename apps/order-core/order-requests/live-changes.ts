import type { BusConnection } from '@offizin/bus/key-value';
import { CHANGED_SUBJECT, type UnpublishedChange } from '@offizin/contracts/live';

/** Publishes changes that write no event to the gateways. As for every ring, a message may be lost (decision 0040). */
export class LiveChanges {
  constructor(private readonly connection: Pick<BusConnection, 'publish' | 'isClosed'>) {}

  ring(orgId: string, requestId: string): void {
    if (this.connection.isClosed()) return;
    const change: UnpublishedChange = { orgId, kind: 'order_request', id: requestId };
    this.connection.publish(CHANGED_SUBJECT, Buffer.from(JSON.stringify(change)));
  }
}
