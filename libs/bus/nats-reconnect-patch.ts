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
