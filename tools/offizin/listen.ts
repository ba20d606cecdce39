import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { ALL_EVENT_TYPES, type EventType, isEventType } from '@offizin/contracts/webhooks/events';
import { Offizin } from '../../clients/typescript/src/client';
import { verifyWebhook, type WebhookEvent } from '../../clients/typescript/src/verify-webhook';
import { type AccessOf, type ApiAccess, byKey } from './api-access';
import { note, type Output, say, visible } from './output';

interface ListenCommandOptions extends Partial<ApiAccess> {
  events?: string;
  port: string;
  publicUrl?: string;
  forwardTo?: string;
}

type Fail = (error: unknown) => void;

interface Reach {
  accessOf: AccessOf;
  output: Output;
  fail: Fail;
}

export function addListenCommand(program: Command, reach: Reach): void {
  const command = program
    .command('listen')
    .description(
      'subscribe, and print every webhook that comes, verified, until Ctrl-C; with --json a line of each',
    );
  byKey(command, 'webhooks.write')
    .option('--events <list>', 'kinds with commas between; all unless given')
    .option('--port <number>', 'where to listen on 127.0.0.1; a free one unless given', '0')
    .option('--public-url <url>', 'under which the installation reaches this machine, if it is another one')
    .option('--forward-to <url>', 'hand each delivery on to this receiver, and answer as it does')
    .action((options: ListenCommandOptions) => listen(options, reach));
}

async function listen(options: ListenCommandOptions, { accessOf, output, fail }: Reach): Promise<void> {
  const { events, port, publicUrl, forwardTo: receiver } = options;
  const forwardTo = receiver === undefined ? undefined : httpAddress(receiver);
  const listener = await Listener.start({
    ...accessOf(options),
    port: portOf(port),
    publicUrl,
    forwardTo,
    eventTypes: events === undefined ? undefined : eventTypesOf(events),
    asJson: output.isJsonAsked,
    print: say,
    note,
  });
  note(`Listening as ${listener.url}. Ctrl-C ends the subscription.`);
  if (forwardTo !== undefined) note(`The receiver verifies with the secret ${listener.secret}`);
  // One Ctrl-C arrives several times: from the terminal, from npm and from the bootstrap.
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= listener.stop().then(() => process.exit(0), fail));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
}

function portOf(text: string): number {
  if (/^\d+$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new Error(`--port takes a number from 0 to 65535, not ${text}`);
}

function httpAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`--forward-to takes an address such as http://127.0.0.1:8080/webhooks, not ${text}`);
  return text;
}

/** Throws with the kinds that there are. */
export function eventTypesOf(list: string): EventType[] {
  const wanted = list.split(',');
  const unknown = wanted.filter((kind) => !isEventType(kind));
  if (unknown.length === 0) return wanted.filter(isEventType);
  throw new Error(`--events: there is no event ${unknown.join(', ')}. Events: ${ALL_EVENT_TYPES.join(', ')}`);
}

/**
 * `npm run offizin -- listen`: a subscriber on a developer's machine. It subscribes with an API key, receives, verifies
 * and prints every delivery, hands it on to a receiver if one is named, and takes its subscription away when it ends.
 */
interface ListenOptions {
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
  /** Prints the outcome of a delivery that was passed on. */
  note: (line: string) => void;
}

/** Longest delivery that is read; ours are far shorter. */
const MAX_BODY_BYTES = 1024 * 1024;

class Listener {
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
  const { webhooks } = new Offizin({ baseUrl, apiKey });
  const description = `offizin listen on ${hostname()}`;
  const { id, secret } = await webhooks.create({ url, event_types: eventTypes, description });
  const remove = async (): Promise<void> => {
    await webhooks.delete(id);
  };
  // The secret is null when the first answer was lost and the request was repeated. A rotation shows a new one.
  const known = secret ?? (await webhooks.rotateSecret(id)).secret;
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
  return `${created_at}  ${event_type}  ${visible(description, '')}\n    delivery ${deliveryId}  ${JSON.stringify(metadata)}`;
}

/** Offizin gives a delivery 15 s; a receiver that takes longer has failed there, too. */
const TIMEOUT_MS = 15_000;
/** They belong to the connection to `listen`, not to the delivery. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

interface ForwardedAnswer {
  /** For the answer to Offizin: the receiver's status, 502 when it gave none. */
  status: number;
  /** The receiver's, so that it slows Offizin down as it would without `listen` between. */
  retryAfter?: string;
  /** For people: the status, or the reason for its absence. */
  outcome: string;
}

/** Hands a delivery on with the bytes and headers that came, so that its signatures still fit. Never rejects. */
async function forward(url: string, headers: IncomingHttpHeaders, body: Buffer): Promise<ForwardedAnswer> {
  const entries = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: entries.map(([name, value]): [string, string] => [name, String(value)]),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    const retryAfter = answer.headers.get('retry-after') ?? undefined;
    return { status: answer.status, retryAfter, outcome: String(answer.status) };
  } catch (error) {
    return { status: 502, outcome: `no answer, ${reasonOf(error)}` };
  }
}

/** The error of fetch states only that it failed; its cause states why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}
