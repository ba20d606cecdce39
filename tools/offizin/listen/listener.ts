import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { EventType } from '@offizin/contracts/events';
import { Offizin, value } from '../../../clients/typescript/src/client';
import { verifyWebhook, type WebhookEvent } from '../../../clients/typescript/src/verify-webhook';
import { forward } from './forward';

/**
 * `npm run offizin -- listen`: a subscriber on a developer's machine. It subscribes with an API key, receives, verifies
 * and prints every delivery, hands it on to a receiver if one is named, and takes its subscription away when it ends.
 */
export interface ListenOptions {
  baseUrl: string;
  apiKey: string;
  port: number;
  /** Address under which the installation reaches this machine (a tunnel); this port on loopback unless given. */
  publicUrl?: string;
  /** All kinds unless given. */
  eventTypes?: EventType[];
  /** A receiver that gets each verified delivery as it came, and whose answer is the answer to Offizin. */
  forwardTo?: string;
  /** The whole event as one line of JSON instead of a line for people. */
  asJson: boolean;
  print: (line: string) => void;
  /** Prints the outcome of a delivery that was handed on. */
  note: (line: string) => void;
}

/** Longest delivery that is read; ours are far shorter. */
const MAX_BODY_BYTES = 1024 * 1024;

export class Listener {
  private constructor(
    private readonly server: Server,
    private readonly unsubscribe: () => Promise<void>,
    readonly url: string,
    /** Of the subscription; what a receiver behind `forwardTo` verifies with. */
    readonly secret: string,
  ) {}

  /** Throws `OffizinError` when the key may not subscribe. */
  static async start(options: ListenOptions): Promise<Listener> {
    let secret = '';
    const server = createServer((request, response) => {
      void receive(request, response, secret, options).catch(() => response.destroy());
    });
    server.listen(options.port, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = options.publicUrl ?? `http://127.0.0.1:${port}/webhooks/service`;
    try {
      const subscription = await subscribe(options, url);
      secret = subscription.secret;
      return new Listener(server, subscription.remove, url, secret);
    } catch (error) {
      server.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.unsubscribe();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

async function subscribe({ baseUrl, apiKey, eventTypes }: ListenOptions, url: string) {
  const offizin = new Offizin({ baseUrl, apiKey });
  const { api } = offizin;
  const orgId = await offizin.organizationId();
  const body = { url, event_types: eventTypes, description: `offizin listen on ${hostname()}` };
  const webhooks = '/api/v2/public/orgs/{orgId}/webhooks';
  const { id, secret } = value(await api.POST(webhooks, { params: { path: { orgId } }, body }));
  const params = { path: { orgId, webhookId: id } };
  const remove = async (): Promise<void> => {
    value(await api.DELETE(`${webhooks}/{webhookId}`, { params }));
  };
  // The secret is null when the first answer was lost and the request was repeated. A rotation shows a new one.
  const known = secret ?? value(await api.POST(`${webhooks}/{webhookId}/rotate-secret`, { params })).secret;
  return { secret: known ?? '', remove };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  secret: string,
  options: ListenOptions,
): Promise<void> {
  const body = await readBody(request);
  if (!body) return void response.writeHead(413).end();
  try {
    const event = verifyWebhook(body, request.headers, secret);
    options.print(options.asJson ? body.toString() : lineOf(event, String(request.headers['webhook-id'])));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    options.print(`REFUSED  ${request.method} ${request.url}, ${body.length} bytes: ${reason}`);
    return void response.writeHead(401).end();
  }
  if (options.forwardTo === undefined) return void response.writeHead(204).end();
  const { status, retryAfter, outcome } = await forward(options.forwardTo, request.headers, body);
  options.note(`${String(request.headers['webhook-id'])} -> ${options.forwardTo}: ${outcome}`);
  response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();
}

/** Null when it is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function lineOf(event: WebhookEvent, deliveryId: string): string {
  const { created_at, event_type, description, metadata } = event;
  return `${created_at}  ${event_type}  ${description}\n    delivery ${deliveryId}  ${JSON.stringify(metadata)}`;
}
