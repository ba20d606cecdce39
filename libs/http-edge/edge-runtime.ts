import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bus } from '@offizin/bus/bus';
import { connectBus, pingBroker } from '@offizin/bus/connection';
import { Presence } from '@offizin/bus/presence';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import { keysUsed } from '@offizin/contracts/people/directory';
import { KeyUses } from '@offizin/directory/api-key';
import { DirectoryReplica } from '@offizin/directory/replica';
import { ownCallKeys } from '@offizin/runtime/call-keys';
import type { ProcessConfig } from '@offizin/runtime/process-config';
import { endConnectionsAfterAnswers, type RunningApp } from '@offizin/runtime/process';
import type { Management } from '@offizin/runtime/management';
import { newRequestId } from '@offizin/runtime/request-id';
import { CoreProxy, type ProxyOptions } from './core-proxy';

const KEY_USES_TIMEOUT_MS = 2_000;

export interface EdgeConfig extends ProcessConfig {
  port: number;
  orderCoreUrl: string;
}

export class EdgeRuntime {
  private constructor(
    readonly bus: Bus,
    readonly directory: DirectoryReplica,
    readonly proxy: CoreProxy,
    readonly presence: Presence,
    readonly keyUses: KeyUses,
  ) {}

  static async connect(
    name: 'gateway' | 'connector-edge',
    config: EdgeConfig,
    unreachable: ProxyOptions['unreachable'],
  ): Promise<EdgeRuntime> {
    const connection = await connectBus({ ...config, name });
    const keys = ownCallKeys(name, config.callKeys);
    const bus = new Bus(connection, keys);
    return new EdgeRuntime(
      bus,
      new DirectoryReplica(connection),
      new CoreProxy({ target: config.orderCoreUrl, keys, unreachable }),
      new Presence(connection, name),
      new KeyUses((uses) =>
        bus.call(keysUsed, serviceCaller(name, newRequestId()), { uses }, KEY_USES_TIMEOUT_MS),
      ),
    );
  }

  /** Opens the public port once the directory is synchronized. */
  async serve(
    app: NestFastifyApplication,
    config: EdgeConfig,
    management: Management,
    otherUses: readonly KeyUses[] = [],
  ): Promise<RunningApp> {
    const { bus, directory, proxy, presence } = this;
    const reported = [this.keyUses, ...otherUses];
    management.addCheck('bus', () => pingBroker(bus.connection));
    management.addCheck('directory', () => directory.checkSynchronized());
    directory.observe();
    directory.start();
    await directory.untilSynchronized();
    presence.start();
    for (const uses of reported) uses.start();
    // The first caller finds an open connection, or an edge that does not wait for order-core.
    await proxy.checkCoreReached().catch(() => undefined);
    await app.listen(config.port, config.bindAddress);
    return {
      drain: () => endConnectionsAfterAnswers(app.getHttpServer()),
      stop: async () => {
        await app.close();
        for (const uses of reported) await uses.stop();
        presence.stop();
        directory.stop();
        proxy.close();
        await bus.connection.drain();
      },
    };
  }
}
