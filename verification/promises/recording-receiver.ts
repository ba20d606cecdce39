import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '@offizin/testkit/loopback';
import type { Arrival, SequencedArrival } from './checkers/checkers';

export interface Received extends Arrival, SequencedArrival {
  eventType: string;
  metadata: Record<string, unknown>;
  atMs: number;
  /** When the change was committed, by the event. */
  createdAtMs: number;
  /** The time that the signature covers. */
  signedAtMs: number;
}

/** How a subscriber answers; by default 200 immediately. */
export type ReceiverAnswer = (response: ServerResponse, received: Received) => void;

/** A subscriber on loopback that records everything it receives. */
export class RecordingReceiver {
  readonly received: Received[] = [];
  /** Requests read but not answered yet. */
  open = 0;
  answer: ReceiverAnswer;

  private constructor(
    readonly name: string,
    private readonly server: Server,
    readonly url: string,
    answer: ReceiverAnswer,
  ) {
    this.answer = answer;
  }

  static async start(
    name: string,
    answer: ReceiverAnswer = (response) => response.writeHead(200).end(),
  ): Promise<RecordingReceiver> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}/webhooks/service`;
    const receiver = new RecordingReceiver(name, server, url, answer);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('error', () => undefined);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => receiver.take(request, Buffer.concat(chunks), response));
    });
    return receiver;
  }

  close(): Promise<void> {
    return closeServer(this.server);
  }

  private take(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const event = JSON.parse(body.toString()) as {
      id: string;
      event_type: string;
      created_at: string;
      metadata: Record<string, unknown> & { sequence: number };
    };
    const { metadata } = event;
    const received: Received = {
      endpoint: this.name,
      eventId: event.id,
      deliveryId: String(request.headers['x-service-delivery-id']),
      eventType: event.event_type,
      aggregateId: aggregateOf(event.event_type, metadata),
      sequence: metadata.sequence,
      metadata,
      atMs: Date.now(),
      createdAtMs: Date.parse(event.created_at),
      signedAtMs: Number(request.headers['webhook-timestamp']) * 1000,
    };
    this.received.push(received);
    this.open += 1;
    response.once('close', () => (this.open -= 1));
    response.on('error', () => undefined);
    this.answer(response, received);
  }
}

/** Events about a request belong to its aggregate, all others to their order's. */
function aggregateOf(eventType: string, metadata: Record<string, unknown>): string {
  const names = eventType.startsWith('order_request')
    ? ['order_request_id']
    : ['order_id', 'order_request_id'];
  for (const name of [...names, 'p1_id', 'webhook_id']) {
    const value = metadata[name];
    if (typeof value === 'string') return value;
  }
  return eventType;
}
