import { createServer, type Server } from 'node:net';
import type { CallTimes } from '@offizin/testkit/load/call-times';
import { type CallAnswer, callApi, callConnector } from '@offizin/testkit/load/calls';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';

/** An organization with ordinary load, measured alone and next to a greedy one. */
export class ModestCaller {
  private numbers = 0;
  /** When its server received each path. */
  private readonly askedAtMs: number[] = [];

  private constructor(
    private readonly organization: TestOrganization,
    private readonly orderId: string,
    private readonly documents: Server,
    private readonly documentsUrl: string,
  ) {}

  static async start(organization: TestOrganization): Promise<ModestCaller> {
    const { id } = await organization.createOrder({ items: [{ name: 'Salbe', qty: 1, price: 2 }] });
    const documents = createServer();
    const port = await listenOnLoopback(documents);
    const caller = new ModestCaller(organization, id, documents, `https://127.0.0.1:${port}/a.pdf`);
    documents.on('connection', (socket) => {
      caller.askedAtMs.push(performance.now());
      // Only the start of the fetch is measured; the fetch fails immediately.
      socket.on('error', () => undefined).destroy();
    });
    return caller;
  }

  close(): void {
    this.documents.close();
  }

  /** One call after the other for the given time. */
  async measure(forMs: number, into: CallTimes): Promise<void> {
    const endsAtMs = performance.now() + forMs;
    for (let round = 0; performance.now() < endsAtMs; round++) {
      for (const [kind, call] of Object.entries(this.calls())) into.note(kind, await call());
      if (round % 10 === 0) into.note('report', await this.get('/reports/stats'));
    }
  }

  /** Submits a prescription by URL and waits until its fetch begins. */
  async measureFetch(into: CallTimes, timeoutMs: number): Promise<void> {
    const before = this.askedAtMs.length;
    const startedAtMs = performance.now();
    const body = orderRequest({ customer_name: 'Kundin', prescription_pdf_url: this.documentsUrl });
    const answer = await callConnector(this.organization, 'POST', body);
    if (answer.status !== 200) into.failures.push(`fetch ${answer.status}`);
    while (this.askedAtMs.length === before && performance.now() - startedAtMs < timeoutMs) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    into.add('fetch', (this.askedAtMs[before] ?? performance.now()) - startedAtMs);
  }

  private calls(): Record<string, () => Promise<CallAnswer>> {
    const number = ++this.numbers;
    const items = [{ name: 'Salbe', qty: 2, price: 3.5 }];
    const order = { shop_id: this.organization.shops[0].shopId, external_id: `modest-${number}`, items };
    return {
      list: () => this.get('/orders?limit=20'),
      detail: () => this.get(`/orders/${this.orderId}`),
      upsert: () => callApi(this.organization, 'POST /orders', order),
      external: () => callConnector(this.organization, 'POST', orderRequest()),
    };
  }

  private get(path: string): Promise<CallAnswer> {
    return callApi(this.organization, `GET ${path}`);
  }
}
