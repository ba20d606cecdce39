import type { BrokerAddress } from '@offizin/bus/broker-address';
import { Bus } from '@offizin/bus/bus';
import { connectBus } from '@offizin/bus/connection';
import type { Caller } from '@offizin/contracts/caller';
import type { Call, Operation, ReplyOf } from '@offizin/contracts/operation';
import { ownCallKeys } from '@offizin/runtime/call-keys';
import { newRequestId } from '@offizin/runtime/request-id';

/** Where the running installation is, and the operator's rights to it. */
export interface PlatformAccess extends BrokerAddress {
  callKeys: string;
}

/**
 * Internal operations of the operator, called over the bus. They use no database, so they work wherever the broker is
 * reachable.
 */
export class Platform {
  private constructor(
    private readonly bus: Bus,
    private readonly caller: Caller,
  ) {}

  static async connect(access: PlatformAccess): Promise<Platform> {
    const connection = await connectBus({ ...access, name: 'operator' });
    const caller: Caller = {
      kind: 'platform',
      orgId: '',
      shopId: null,
      actorId: 'operator',
      scopes: [],
      requestId: newRequestId(),
    };
    return new Platform(new Bus(connection, ownCallKeys('operator', access.callKeys)), caller);
  }

  async call<O extends Operation>(op: O, body: Call<O>['body']): Promise<ReplyOf<O>> {
    return this.bus.call(op, this.caller, body);
  }

  async close(): Promise<void> {
    await this.bus.connection.close();
  }
}
