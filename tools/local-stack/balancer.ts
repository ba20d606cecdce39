import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

/**
 * TCP balancer in front of several replicas, like a Kubernetes Service: each connection goes to the next replica
 * that accepts it. When a replica dies, its connections break and callers reconnect.
 */
export class Balancer {
  private next = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly targets: readonly number[],
  ) {}

  static async listen(port: number, targets: readonly number[]): Promise<Balancer> {
    const server = createServer({ allowHalfOpen: true });
    const balancer = new Balancer(server, targets);
    server.on('connection', (socket) => balancer.forward(balancer.keep(socket), targets.length));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(caller: Socket, triesLeft: number): void {
    const port = this.targets[this.next++ % this.targets.length];
    if (port === undefined || triesLeft === 0 || caller.destroyed) return void caller.destroy();
    const replica = this.keep(connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    const refused = () => this.forward(caller, triesLeft - 1);
    replica.once('error', refused);
    replica.once('connect', () => {
      replica.off('error', refused);
      caller.pipe(replica).pipe(caller);
      // An abrupt end of either side ends the other, so that no caller waits for a dead replica.
      caller.once('close', () => replica.destroy());
      replica.once('close', () => caller.destroy());
    });
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }
}
