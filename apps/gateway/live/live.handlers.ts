import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bus } from '@offizin/bus/bus';
import { invalid, Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { openLive, PresenceBody } from '@offizin/contracts/console/live';
import type { Operation } from '@offizin/contracts/calls/operation';
import type { DirectoryReplica } from '@offizin/directory/replica';
import { checkBodyHeaders, readBody } from '@offizin/http-body/read-body';
import type { OperationCarrier } from '@offizin/http-edge/operation-routes';
import { parseStrictJson } from '@offizin/operations/strict-json';
import { validate } from '@offizin/operations/validate';
import type { Caller } from '@offizin/contracts/calls/caller';
import { getSession, type SessionResponse } from '@offizin/contracts/people/sessions';
import { callerOf, type CallIdentity } from '../forwarding/forwarder';
import { Announcer, Doorbell } from './announcer';
import { ConsolePresence } from './presence';
import { eventText, type Listener, type LiveStream, stateOfSession, Streams } from './streams';

/** A session that ended in the directory (within a second or so) ends its streams within this time. */
const SESSION_CHECK_MS = 500;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Parts {
  bus: Bus;
  directory: DirectoryReplica;
  maxStreams: number;
}

/**
 * The console's live part, answered by the gateway itself (decision 0040). The doorbell rings for each event, the
 * announcer merges, the streams write; presence is who has which order request open. Nothing is stored or repeated: a
 * browser that was disconnected asks everything again.
 */
export class LiveHandlers implements OperationCarrier {
  private readonly streams: Streams;
  private readonly announcer: Announcer;
  private readonly doorbell: Doorbell;
  private readonly presence: ConsolePresence;
  private readonly names: PersonNames;
  private readonly directory: DirectoryReplica;
  private timer: NodeJS.Timeout | null = null;

  constructor({ bus, directory, maxStreams }: Parts) {
    this.directory = directory;
    this.streams = new Streams(maxStreams);
    this.names = new PersonNames(bus);
    this.presence = new ConsolePresence(bus.connection, (orgId) => this.announcer.presenceChanged(orgId));
    this.announcer = new Announcer(this.streams, this.presence.viewers);
    this.doorbell = new Doorbell(bus.connection, this.announcer);
  }

  start(): void {
    this.streams.start();
    this.doorbell.start();
    this.presence.start();
    this.timer = setInterval(() => this.checkSessions(), SESSION_CHECK_MS);
  }

  /** No new streams, and the open ones end. */
  drain(): void {
    if (this.timer) clearInterval(this.timer);
    this.doorbell.stop();
    this.presence.stop();
    this.streams.drain();
  }

  async carry(op: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const known = request as FastifyRequest & { user: CallIdentity };
    reply.raw.setHeader('cache-control', 'no-store');
    checkBodyHeaders(request.raw, op.maxBodyBytes);
    if (op.name === openLive.name) return this.open(known, reply);
    await this.setPresence(known, op.maxBodyBytes);
    void reply.status(204).send();
  }

  private open(request: FastifyRequest & { user: CallIdentity }, reply: FastifyReply): void {
    const listener = listenerOf(request);
    this.streams.requireSpace(listener);
    reply.hijack();
    const stream = this.streams.add(listener, reply.raw);
    stream.wasKnown = this.directory.sessionById(listener.sessionId) !== null;
    stream.write(this.announcer.presenceFor(stream));
    if (request.method === 'HEAD') stream.end();
  }

  private async setPresence(
    request: FastifyRequest & { user: CallIdentity },
    maxBytes: number,
  ): Promise<void> {
    const { orgId, sessionId, staffId } = listenerOf(request);
    const { bytes, release } = await readBody(request.raw, maxBytes, orgId);
    release();
    const { request_id: requestId } = validate(PresenceBody, parseStrictJson(bytes));
    if (requestId === null) return this.presence.tell({ orgId, sessionId, requestId });
    if (!UUID.test(requestId)) throw invalid([{ field: 'request_id', message: 'must be a UUID' }]);
    const name = await this.names.of(callerOf(request));
    const since = new Date().toISOString();
    this.presence.tell({ orgId, sessionId, staffId, name, requestId, since });
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
    if (state === 'ended') {
      const { orgId, sessionId } = stream.listener;
      stream.end(eventText('session', { reason: 'ended' }));
      this.presence.tell({ orgId, sessionId, requestId: null });
    }
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

/** A changed name is shown at the latest after this time. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const TIMEOUT_MS = 2_000;

/** Names of people, asked of order-core: sessions in the directory have none. */
class PersonNames {
  private readonly remembered = new Map<string, { name: string; untilMs: number }>();

  constructor(private readonly bus: Bus) {}

  /** Of the person who calls. Throws `Refused` when the session has ended, `Unreachable` without an answer. */
  async of(caller: Caller): Promise<string> {
    const nowMs = performance.now();
    const known = this.remembered.get(caller.actorId);
    if (known && known.untilMs > nowMs) return known.name;
    const name = await this.ask(caller);
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(caller.actorId, { name, untilMs: nowMs + REMEMBER_MS });
    return name;
  }

  private async ask(caller: Caller): Promise<string> {
    const call = { caller, params: {}, queryString: '', headers: {}, body: Buffer.alloc(0) };
    const { status, body } = await this.bus.forward(getSession, call, TIMEOUT_MS);
    if (status === 401) throw new Refused('unauthorized', 'Your session has ended.');
    if (status !== 200)
      throw new Unreachable('service_unavailable', 'order-core is unavailable. Try again in a moment.');
    return (JSON.parse(Buffer.from(body).toString()) as SessionResponse).staff.name;
  }
}
