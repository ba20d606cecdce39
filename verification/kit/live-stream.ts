import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { LiveEvents } from '@offizin/contracts/console/live';
import { eventually } from './eventually';
import { http, type HttpAnswer } from './http';
import type { TestPerson } from './person';

export interface StreamEvent {
  name: string;
  data: unknown;
  atMs: number;
}

/** Reads the console's stream over HTTP, as a browser does: one connection, events as they arrive. */
export class LiveStream {
  readonly events: StreamEvent[] = [];
  /** All that arrived. */
  text = '';
  isOver = false;
  private unread = '';

  private constructor(
    private readonly sending: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.take(text));
    response.on('error', () => undefined);
    response.once('close', () => (this.isOver = true));
  }

  /** Rejects unless the answer is a stream; resolves when its first event has arrived. */
  static async open(
    person: TestPerson,
    baseUrl = person.baseUrl,
    localAddress?: string,
  ): Promise<LiveStream> {
    const headers = { ...person.pageHeaders, cookie: person.cookie, accept: 'text/event-stream' };
    const options = { headers, agent: false, localAddress } as const;
    const stream = await new Promise<LiveStream>((resolve, reject) => {
      const sending = request(`${baseUrl}/console/api/live`, options, (response) => {
        if (response.statusCode === 200) return resolve(new LiveStream(sending, response));
        response.resume();
        reject(new Error(`the stream is refused with ${response.statusCode}`));
      });
      sending.on('error', reject);
      sending.end();
    });
    await stream.next('hello');
    return stream;
  }

  of<Name extends keyof LiveEvents>(name: Name): LiveEvents[Name][] {
    return this.events.filter((event) => event.name === name).map(({ data }) => data as LiveEvents[Name]);
  }

  /** Waits for the first event of this name that `fits`. */
  next<Name extends keyof LiveEvents>(
    name: Name,
    fits: (data: LiveEvents[Name]) => boolean = () => true,
    deadlineMs = 5_000,
  ): Promise<LiveEvents[Name]> {
    return eventually(`an event ${name}`, () => this.of(name).find(fits), deadlineMs);
  }

  /** Waits until the stream reports a change of this object. */
  async untilChanged(kind: string, id: string): Promise<void> {
    await this.next('change', ({ changes }) => changes.some((one) => one.kind === kind && one.id === id));
  }

  untilOver(deadlineMs = 2_000): Promise<true> {
    return eventually('the end of the stream', () => this.isOver, deadlineMs);
  }

  close(): void {
    this.sending.destroy();
  }

  private take(text: string): void {
    this.text += text;
    const blocks = (this.unread + text).split('\n\n');
    this.unread = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, name] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (name !== undefined && data !== undefined)
        this.events.push({ name, data: JSON.parse(data), atMs: performance.now() });
    }
  }
}

/** The answer to a stream that must be refused. */
export function refusedStream(
  person: Pick<TestPerson, 'baseUrl'>,
  headers: Record<string, string>,
): Promise<HttpAnswer> {
  return http(`${person.baseUrl}/console/api/live`, { headers });
}
