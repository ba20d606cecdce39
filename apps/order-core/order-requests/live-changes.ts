import type { BusConnection } from '@offizin/bus/key-value';
import { CHANGED_SUBJECT, type UnpublishedChange } from '@offizin/contracts/live';

/** Tells the gateways of a change that writes no event; like every ring, it may be lost (decision 0040). */
export class LiveChanges {
  constructor(private readonly connection: Pick<BusConnection, 'publish' | 'isClosed'>) {}

  ring(orgId: string, requestId: string): void {
    if (this.connection.isClosed()) return;
    const change: UnpublishedChange = { orgId, kind: 'order_request', id: requestId };
    this.connection.publish(CHANGED_SUBJECT, Buffer.from(JSON.stringify(change)));
  }
}
