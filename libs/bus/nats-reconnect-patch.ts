import type { NatsConnection } from 'nats';
import { NatsConnectionImpl } from 'nats/lib/nats-base-client/nats';
import { NodeTransport } from 'nats/lib/src/node_transport';

/**
 * Patches the client (nats 2.29.3), which neither closes nor forgets a socket whose connection attempt timed out. When
 * that socket ends later, the client opens another connection but leaves the healthy one open. It stays in the queue
 * groups; the broker refuses its answers on the other connection.
 */
export function closeAbandonedTransports(): void {
  NodeTransport.prototype.discard = function discard(this: NodeTransport): void {
    if (this.done) return;
    this.done = true;
    // Undefined until the socket is connected, despite its type.
    const socket = this.socket as NodeTransport['socket'] | undefined;
    socket?.removeAllListeners();
    socket?.destroy();
  };
}

/**
 * The client repeats attempts to connect without a word about the reason, so a process with a wrong certificate authority
 * would wait in silence. Reports each failure with the name of the connection.
 */
export function reportFailedAttempts(report: (name: string, error: unknown) => void): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its transport below
  const { connect } = NodeTransport.prototype;
  NodeTransport.prototype.connect = async function reporting(this: NodeTransport, host, options) {
    try {
      await connect.call(this, host, options);
    } catch (error) {
      report(options.name ?? 'unnamed', error);
      throw error;
    }
  };
}

/**
 * The client gives up for good when a broker that had let it in refuses its password twice. An operator who removes a
 * password too early puts it back; no process should need a restart for that.
 */
export function outlastRefusedLogins(connection: NatsConnection): void {
  if (connection instanceof NatsConnectionImpl) connection.options.ignoreAuthErrorAbort = true;
}
