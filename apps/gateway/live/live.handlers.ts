import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bus } from '@offizin/bus/bus';
import { Refused } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import type { DirectoryReplica } from '@offizin/directory/replica';
import { checkBodyHeaders } from '@offizin/http-body/read-body';
import type { OperationCarrier } from '@offizin/http-edge/operation-routes';
import type { CallIdentity } from '../forwarding/forwarder';
import { Announcer } from './announcer';
import { Doorbell } from './doorbell';
import { stateOfSession } from './session-state';
import { eventText, type Listener, type LiveStream, Streams } from './streams';

/** A session that ended in the directory (within a second or so) ends its streams within this time. */
const SESSION_CHECK_MS = 500;

interface Parts {
  bus: Bus;
  directory: DirectoryReplica;
  maxStreams: number;
}

/**
 * The console's live part, answered by the gateway itself (decision 0040). The doorbell rings for each event, the
 * announcer merges, the streams write. Nothing is stored or repeated: a browser that was away asks everything again.
 */
export class LiveHandlers implements OperationCarrier {
  private readonly streams: Streams;
  private readonly doorbell: Doorbell;
  private readonly directory: DirectoryReplica;
  private timer: NodeJS.Timeout | null = null;

  constructor({ bus, directory, maxStreams }: Parts) {
    this.directory = directory;
    this.streams = new Streams(maxStreams);
    this.doorbell = new Doorbell(bus.connection, new Announcer(this.streams));
  }

  start(): void {
    this.streams.start();
    this.doorbell.start();
    this.timer = setInterval(() => this.checkSessions(), SESSION_CHECK_MS);
  }

  /** No new streams, and the open ones end. */
  drain(): void {
    if (this.timer) clearInterval(this.timer);
    this.doorbell.stop();
    this.streams.drain();
  }

  async carry(op: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.raw.setHeader('cache-control', 'no-store');
    checkBodyHeaders(request.raw, op.maxBodyBytes);
    const listener = listenerOf(request as FastifyRequest & { user: CallIdentity });
    this.streams.requireSpace(listener);
    reply.hijack();
    const stream = this.streams.add(listener, reply.raw);
    stream.wasKnown = this.directory.sessionById(listener.sessionId) !== null;
    if (request.method === 'HEAD') stream.end();
  }

  private checkSessions(): void {
    const nowMs = performance.now();
    for (const stream of this.streams.all()) this.checkSession(stream, nowMs);
  }

  private checkSession(stream: LiveStream, nowMs: number): void {
    const record = this.directory.sessionById(stream.listener.sessionId);
    const state = stateOfSession(stream, record, nowMs);
    if (record) {
      stream.wasKnown = true;
      stream.role = record.role;
    }
    if (state === 'changed') stream.write(eventText('session', { reason: 'changed' }));
    if (state === 'ended') stream.end(eventText('session', { reason: 'ended' }));
    // The browser connects again, and the guard asks order-core.
    if (state === 'unknown') stream.end();
  }
}

function listenerOf({ user }: { user: CallIdentity }): Listener {
  const { orgId, staffId, sessionId, role } = user;
  if (staffId === undefined || sessionId === undefined || role === undefined)
    throw new Refused('unauthorized', 'You are not signed in, or your session has ended.');
  return { orgId, staffId, sessionId, role };
}
