import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { CallbackEvent, CallbackEventType } from '@offizin/contracts/requests/callbacks';
import { mistakeInEvent } from './described-events';
import { eventually } from './eventually';
import { closeServer, listenOnLoopback } from './loopback';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  body: Buffer;
  atMs: number;
}

/** A subscriber's server on loopback: records deliveries, with configurable answers. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Of the next answers. */
  status: number | ((delivery: ReceivedWebhook) => number) = 200;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const port = await listenOnLoopback(server);
    const receiver = new WebhookReceiver(server, `http://127.0.0.1:${port}/webhooks/service`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const delivery = { headers: request.headers, body: Buffer.concat(chunks), atMs: Date.now() };
        receiver.received.push(delivery);
        const { status } = receiver;
        response.writeHead(typeof status === 'number' ? status : status(delivery)).end();
      });
    });
    return receiver;
  }

  /** The first matching delivery; its event must match the catalogue. */
  async waitFor(fits: (event: WebhookBody) => boolean, deadlineMs = 10_000): Promise<ReceivedWebhook> {
    const found = await eventually(
      'a delivery of the event',
      () => this.received.find(({ body }) => fits(JSON.parse(body.toString()) as WebhookBody)),
      deadlineMs,
    );
    const mistake = mistakeInEvent(JSON.parse(found.body.toString()));
    if (mistake !== null) throw new Error(mistake);
    return found;
  }

  close(): Promise<void> {
    return closeServer(this.server);
  }
}

export interface WebhookBody {
  id: string;
  org_id: string;
  event_type: string;
  title: string;
  description: string;
  metadata: Record<string, unknown>;
  created_at: string;
}

/** A partner's server: what it received, as callback events. */
export class CallbackReceiver {
  private constructor(private readonly server: WebhookReceiver) {}

  static async start(): Promise<CallbackReceiver> {
    return new CallbackReceiver(await WebhookReceiver.start());
  }

  get url(): string {
    return this.server.url;
  }

  answerWith(status: WebhookReceiver['status']): void {
    this.server.status = status;
  }

  get received(): readonly ReceivedWebhook[] {
    return this.server.received;
  }

  /** Every event of the request so far, in the order of arrival. */
  eventsOf(requestId: string): CallbackEvent[] {
    return this.received.map(eventOf).filter(({ metadata }) => metadata.id === requestId);
  }

  /** The `nth` delivery of this kind about the request, from 1. */
  async waitFor(type: CallbackEventType, requestId: string, nth = 1): Promise<ReceivedWebhook> {
    return eventually(`${type} of ${requestId}`, () => {
      const fitting = this.received.filter((delivery) => {
        const { event_type, metadata } = eventOf(delivery);
        return event_type === type && metadata.id === requestId;
      });
      return fitting[nth - 1];
    });
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

export function eventOf({ body }: ReceivedWebhook): CallbackEvent {
  return JSON.parse(body.toString()) as CallbackEvent;
}

/** Whether `X-Service-Signature` fits the secret, beside the Standard Webhooks one. */
export function isSignedWith(secret: string, { headers, body }: ReceivedWebhook): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return headers['x-service-signature'] === expected;
}
