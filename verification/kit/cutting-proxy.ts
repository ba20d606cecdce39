import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback';

/** A way to a server on which answers break off: a connection dies after so many bytes of the server. */
export class CuttingProxy {
  /** Connections that still will be cut. */
  cuts = 0;
  /** Instead of dying, the connection then stays silent. */
  isSilent = false;
  made = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
    private readonly sockets: Set<Socket>,
  ) {}

  static async start(target: string, afterBytes: number): Promise<CuttingProxy> {
    const { hostname, port } = new URL(target);
    const sockets = new Set<Socket>();
    const server = createServer((inward) => {
      const outward = connect(Number(port), hostname);
      for (const socket of [inward, outward]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          sockets.delete(socket);
          inward.destroy();
          outward.destroy();
        });
      }
      inward.pipe(outward);
      let bytes = 0;
      outward.on('data', (chunk: Buffer) => {
        const left = afterBytes - bytes;
        bytes += chunk.length;
        if (chunk.length <= left || proxy.cuts === 0) return void inward.write(chunk);
        inward.write(chunk.subarray(0, Math.max(0, left)));
        proxy.cuts -= 1;
        proxy.made += 1;
        if (proxy.isSilent) outward.pause();
        else inward.end();
      });
    });
    const own = await listenOnLoopback(server);
    const proxy = new CuttingProxy(server, `http://127.0.0.1:${own}`, sockets);
    return proxy;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
