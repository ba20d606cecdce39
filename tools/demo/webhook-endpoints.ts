import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Offizin } from '../../clients/typescript/src/client';

/** A receiver on this machine with three endpoints: one healthy, one slow, one that fails half of the time. */
const SLOW_MS = 2_500;
const ENDPOINTS = [
  { path: '/warenwirtschaft', description: 'Demo: Warenwirtschaft' },
  { path: '/versand-langsam', description: 'Demo: Versanddienst, antwortet langsam' },
  { path: '/newsletter-wackelig', description: 'Demo: Newsletter, jede zweite Zustellung scheitert' },
];

export class DemoReceiver {
  private constructor(
    private readonly server: Server,
    private readonly url: string,
  ) {}

  static async start(): Promise<DemoReceiver> {
    let answers = 0;
    const server = createServer((request, response) => {
      request.resume();
      request.on('error', () => response.destroy());
      answers += 1;
      const fails = request.url === ENDPOINTS[2]?.path && answers % 2 === 0;
      const answer = (): void => {
        response.writeHead(fails ? 503 : 200, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(fails ? 'Wartung, bitte später erneut senden' : 'ok');
      };
      if (request.url === ENDPOINTS[1]?.path) setTimeout(answer, SLOW_MS).unref();
      else answer();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // The stack's own processes keep this one alive.
    server.unref();
    return new DemoReceiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  /** Subscribes once; later starts only tell the new port. */
  async subscribe({ webhooks }: Offizin): Promise<void> {
    const { data } = await webhooks.list({}).firstPage();
    for (const { path, description } of ENDPOINTS) {
      const url = `${this.url}${path}`;
      const known = data.find((webhook) => webhook.description === description);
      if (!known) await webhooks.create({ url, description });
      else if (known.url !== url) await webhooks.update(known.id, { url });
    }
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
