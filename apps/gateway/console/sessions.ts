import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Operation } from '@offizin/contracts/calls/operation';
import type { SessionRecord } from '@offizin/directory/records';
import type { DirectoryReplica } from '@offizin/directory/replica';
import { networkOf } from '@offizin/http-edge/trusted-proxies';
import type { RateLimiter } from '@offizin/http-edge/rate-limiter';

/** `__Host-`: the browser takes it only with Secure, for this host alone and for every path. */
const COOKIE = '__Host-offizin';

/** How long an answer of order-core about a session is valid; by then the replica knows better. */
const REMEMBER_MS = 1_000;
const MAX_REMEMBERED = 10_000;
type FindSession = (hash: string, requestId: string) => Promise<SessionRecord | null>;

/**
 * The session of a request, by its cookie. The replica answers from memory. A session that it does not know may be
 * seconds old, so order-core is asked once.
 */
export class Sessions {
  private readonly remembered = new Map<string, { found: Promise<SessionRecord | null>; untilMs: number }>();

  constructor(
    private readonly directory: DirectoryReplica,
    private readonly find: FindSession,
    /** Of questions about unknown sessions by the caller's network, about known ones by session. */
    private readonly questions: RateLimiter,
  ) {}

  async of(
    request: FastifyRequest,
    { needsConfirmation, mayNeedConfirmation }: Pick<Operation, 'needsConfirmation' | 'mayNeedConfirmation'>,
  ): Promise<SessionRecord | null> {
    const token = onlyCookie(request.headers.cookie, COOKIE);
    if (token === null) return null;
    const hash = createHash('sha256').update(token).digest('hex');
    const known = this.directory.sessionByHash(hash);
    const asksConfirmation = needsConfirmation || mayNeedConfirmation;
    if (known && asksConfirmation && !wasConfirmed(known)) return this.askAgain(hash, request, known);
    return known ?? this.ask(hash, request);
  }

  /** The person may have confirmed a moment ago, and the replica not know it yet. */
  private async askAgain(
    hash: string,
    request: FastifyRequest,
    known: SessionRecord,
  ): Promise<SessionRecord | null> {
    // By session, not by network: strangers must not keep a person from a change.
    if (!this.questions.take(known.session_id).allowed) return known;
    return this.find(hash, request.id);
  }

  private async ask(hash: string, request: FastifyRequest): Promise<SessionRecord | null> {
    const nowMs = performance.now();
    const known = this.remembered.get(hash);
    if (known && known.untilMs > nowMs) return known.found;
    if (!this.questions.take(networkOf(request.ip)).allowed) return null;
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    const found = this.find(hash, request.id);
    this.remembered.set(hash, { found, untilMs: nowMs + REMEMBER_MS });
    // A failure is not an answer: the next request asks again.
    found.catch(() => this.remembered.delete(hash));
    return found;
  }
}

function wasConfirmed({ confirmed_until: until }: SessionRecord): boolean {
  return until !== undefined && Date.parse(until) > Date.now();
}

const TOKEN_FORM = /^[\w-]{43}$/;

/**
 * The token in the cookie of this name. Null without one, with more than one, and when it has not the form of a token.
 */
export function onlyCookie(header: string | undefined, name: string): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [token, ...others] = values;
  return token !== undefined && others.length === 0 && TOKEN_FORM.test(token) ? token : null;
}
