import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { pause } from '@offizin/testkit/load/submissions';

/** Connections that cost a server resources although none of their requests carries a valid key. */
export class HostileConnections {
  private readonly sockets: Socket[] = [];

  /** `from` is the loopback address of the attacker, so that limits per address distinguish it from other callers. */
  constructor(
    private readonly url: string,
    private readonly from: string,
  ) {}

  /** Pipelined requests, `bytesEach` per connection, whose answers are never read. */
  async pipelineUnread(count: number, path: string, bytesEach: number): Promise<void> {
    const one = `GET ${path} HTTP/1.1\r\nHost: hostile\r\n\r\n`;
    await this.openUnread(count);
    this.send(one.repeat(Math.ceil(bytesEach / one.length)));
  }

  /** Connections that read nothing, except the answer to these bytes. */
  async openUnread(count: number, readFirst = ''): Promise<void> {
    for (const socket of await this.open(count, false)) {
      if (readFirst === '') continue;
      socket.resume().write(readFirst);
      await new Promise<unknown>((resolve) => socket.once('data', resolve).once('close', resolve));
      socket.pause();
    }
  }

  /** The same bytes on each connection. `isEnded`: and then the end of the caller's side. */
  send(bytes: string, isEnded = false): void {
    const all = Buffer.from(bytes);
    for (const socket of this.sockets) {
      socket.write(all);
      if (isEnded) socket.end();
    }
  }

  /** Connections that send nothing; every second one has received an answer first. */
  async idle(count: number): Promise<void> {
    const sockets = await this.open(count, true);
    for (const [index, socket] of sockets.entries())
      if (index % 2 === 0) socket.write('GET /nothing HTTP/1.1\r\nHost: hostile\r\n\r\n');
  }

  /** Heads of `bytesEach` that never end. */
  async slowHeads(count: number, bytesEach: number): Promise<void> {
    const head = `GET /nothing HTTP/1.1\r\nHost: hostile\r\nX-Slow: ${'a'.repeat(bytesEach)}`;
    for (const socket of await this.open(count, true)) this.drip(socket, head, 'a');
  }

  /** Bodies that send one byte per second, to a path with a body. */
  async slowBodies(count: number, path: string): Promise<void> {
    const type = 'Content-Type: application/json\r\nContent-Length: 60000';
    const head = `POST ${path} HTTP/1.1\r\nHost: hostile\r\n${type}\r\n\r\n{`;
    for (const socket of await this.open(count, true)) this.drip(socket, head, ' ');
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.length = 0;
  }

  private drip(socket: Socket, first: string, next: string): void {
    socket.write(first);
    const dripping = setInterval(() => socket.write(next), 1_000);
    socket.once('close', () => clearInterval(dripping));
  }

  /** In groups: more connections than fit into the server's accept queue would wait for seconds. */
  private async open(count: number, isReading: boolean): Promise<Socket[]> {
    const opened: Socket[] = [];
    while (opened.length < count) {
      const batch = Math.min(100, count - opened.length);
      opened.push(...(await Promise.all(Array.from({ length: batch }, () => this.openOne(isReading)))));
    }
    return opened;
  }

  private openOne(isReading: boolean): Promise<Socket> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve) => {
      const socket = connect({ port: Number(port), host: hostname, localAddress: this.from });
      this.sockets.push(socket);
      if (isReading) socket.on('data', () => undefined);
      else socket.pause();
      // A connection that the server refuses or ends is an expected outcome of the attack.
      socket.on('error', () => undefined);
      socket.once('end', () => socket.destroy());
      for (const event of ['connect', 'close'] as const) socket.once(event, () => resolve(socket));
    });
  }
}

/** Time until no connection is open; infinite after a minute. */
export async function untilClosed(count: () => number): Promise<number> {
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < 60_000) {
    if (count() === 0) return performance.now() - sinceMs;
    await pause(250);
  }
  return Infinity;
}

/** A state of /proc/net/tcp. */
const ESTABLISHED = '01';

interface Held {
  isOpen: boolean;
  /** The server's system has bytes that the peer has not acknowledged. */
  isUntaken: boolean;
}

/** Connections from a loopback address to a port that are open or hold bytes; 0 where the system does not report it. */
export function connectionsFrom(address: string, url: string): number {
  return heldFrom(address, url).filter(({ isOpen, isUntaken }) => isOpen || isUntaken).length;
}

/** Connections from a loopback address to a port for which the server's system holds bytes. */
export function untakenFrom(address: string, url: string): number {
  return heldFrom(address, url).filter(({ isUntaken }) => isUntaken).length;
}

/** Resolves when the server's system holds bytes for so many connections, or after 10 s, with performance.now(). */
export async function untilAllUntaken(address: string, url: string, count: number): Promise<number> {
  const startedMs = performance.now();
  while (untakenFrom(address, url) < count && performance.now() - startedMs < 10_000) await pause(LOOK_MS);
  return performance.now();
}

/**
 * Time from `sinceMs` to the last sight of bytes that a caller from the address has not taken; infinite after a minute.
 * `most`: so many connections had such bytes together.
 */
export async function untilNothingUntaken(
  address: string,
  url: string,
  sinceMs: number,
): Promise<{ heldMs: number; most: number }> {
  let [lastMs, most] = [performance.now(), 0];
  while (performance.now() - lastMs < QUIET_MS) {
    const untaken = untakenFrom(address, url);
    most = Math.max(most, untaken);
    if (untaken > 0) lastMs = performance.now();
    if (lastMs - sinceMs > 60_000) return { heldMs: Infinity, most };
    await pause(LOOK_MS);
  }
  return { heldMs: most === 0 ? 0 : lastMs - sinceMs, most };
}

const LOOK_MS = 250;
/** Without a sight of such bytes for so long, none come. */
const QUIET_MS = 5_000;

/** Whether this system reports what it holds. */
export const CAN_SEE_HELD = existsSync('/proc/net/tcp');

function heldFrom(address: string, url: string): Held[] {
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const from = `${bytes.reverse().join('').toUpperCase()}:`;
  const port = `:${Number(new URL(url).port).toString(16).padStart(4, '0').toUpperCase()}`;
  try {
    const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
    return rows.flatMap((row) => {
      const [, local = '', remote = '', state, queues = ''] = row.trim().split(/\s+/);
      if (!local.endsWith(port) || !remote.startsWith(from)) return [];
      return [{ isOpen: state === ESTABLISHED, isUntaken: !queues.startsWith('00000000:') }];
    });
  } catch {
    return [];
  }
}
