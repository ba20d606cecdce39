import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/**
 * A proxy in front of several replicas, like a Kubernetes Service, that can inject network faults. `pass` forwards. `hole` drops every packet in both
 * directions; TCP repeats them once the hole is over. `reset` ends old and new connections with an RST. `refuse` closes
 * the port.
 */
export type ProxyMode = 'pass' | 'hole' | 'reset' | 'refuse';

interface Pair {
  client: Socket;
  /** Null until an upstream has accepted the connection, such as during a hole. */
  upstream: Socket | null;
  isJoining: boolean;
}

export class TcpProxy {
  mode: ProxyMode = 'pass';
  /** Delay of data from the upstream. */
  delayMs = 0;
  private readonly pairs = new Set<Pair>();
  private next = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
    /** Tried in turn, starting with a different one for each connection, as a balancer does. */
    private readonly upstreams: () => readonly number[],
  ) {}

  static async start(upstreams: () => readonly number[], port = 0): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    const proxy = new TcpProxy(server, address.port, upstreams);
    server.on('connection', (client) => proxy.accept(client));
    return proxy;
  }

  async become(mode: ProxyMode): Promise<void> {
    const before = this.mode;
    this.mode = mode;
    if (before === 'refuse' && mode !== 'refuse') {
      this.server.listen(this.port, '127.0.0.1');
      await once(this.server, 'listening');
    }
    if (mode === 'refuse') this.server.close();
    for (const pair of [...this.pairs]) {
      if (mode === 'hole') for (const socket of [pair.client, pair.upstream]) socket?.pause();
      else if (mode === 'pass') this.resume(pair);
      else this.reset(pair);
    }
  }

  async close(): Promise<void> {
    for (const { client, upstream } of this.pairs) {
      client.destroy();
      upstream?.destroy();
    }
    if (this.server.listening) {
      this.server.close();
      await once(this.server, 'close');
    }
  }

  private accept(client: Socket): void {
    const pair: Pair = { client, upstream: null, isJoining: false };
    this.pairs.add(pair);
    client.on('error', () => undefined);
    client.once('close', () => this.ended(pair));
    if (this.mode === 'reset') this.reset(pair);
    else if (this.mode === 'hole') client.pause();
    else this.join(pair);
  }

  /** Connects to the first upstream that accepts; without one the client is cut off. */
  private join(pair: Pair): void {
    pair.isJoining = true;
    const ports = this.upstreams();
    const first = this.next++;
    const tryOne = (attempt: number): void => {
      const port = ports[(first + attempt) % ports.length];
      if (port === undefined || attempt >= ports.length) {
        pair.client.resetAndDestroy();
        return;
      }
      const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
      upstream.once('error', () => {
        if (pair.upstream === null) tryOne(attempt + 1);
      });
      upstream.once('connect', () => {
        pair.upstream = upstream;
        upstream.on('error', () => undefined);
        upstream.once('close', () => this.ended(pair));
        this.pipe(pair.client, upstream, 0);
        this.pipe(upstream, pair.client, this.delayMs);
        // A client that connected during a hole is paused until it is resumed explicitly.
        for (const socket of [pair.client, upstream])
          if (this.mode === 'hole') socket.pause();
          else socket.resume();
      });
    };
    tryOne(0);
  }

  private pipe(from: Socket, to: Socket, delayMs: number): void {
    const later = (work: () => void): void => {
      if (delayMs > 0) setTimeout(work, delayMs);
      else work();
    };
    from.on('data', (chunk: Buffer) => {
      later(() => {
        if (to.destroyed || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => this.mode !== 'hole' && from.resume());
      });
    });
    from.once('end', () => later(() => to.end()));
  }

  private resume(pair: Pair): void {
    if (!pair.isJoining && !pair.client.destroyed) this.join(pair);
    // Without an upstream no socket reads yet: data of a resumed client would be lost.
    if (pair.upstream) for (const socket of [pair.client, pair.upstream]) socket.resume();
    if (pair.client.destroyed || pair.upstream?.destroyed) this.ended(pair);
  }

  private reset({ client, upstream }: Pair): void {
    client.resetAndDestroy();
    upstream?.destroy();
  }

  /** One side has closed: closes the other one, but not during a hole. */
  private ended(pair: Pair): void {
    if (this.mode === 'hole') return;
    this.pairs.delete(pair);
    pair.client.destroy();
    pair.upstream?.destroy();
  }
}
