import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bus } from '@offizin/bus/bus';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import type { Operation } from '@offizin/contracts/calls/operation';
import {
  beginSignOnFor,
  finishSignOn,
  FinishSignOnQuery,
  finishSignOnFor,
  FIRST_PAGE,
  type SignOnRefusal,
  StartSignOnQuery,
} from '@offizin/contracts/people/sign-on';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import type { OperationCarrier } from '@offizin/http-edge/operation-routes';
import { queryStringOf } from '@offizin/operations/query-string';
import { parseQuery, validate, validateQuery } from '@offizin/operations/validate';
import { onlyCookie } from './sessions';

/**
 * Binds a sign-on to the browser that began it. `Lax`: the answer comes by a navigation from the provider, and a
 * `Strict` cookie would not come along.
 */
const COOKIE = '__Host-offizin-sign-on';
const ATTRIBUTES = 'HttpOnly; Secure; SameSite=Lax; Path=/';
const COOKIE_SECONDS = 600;

/**
 * The browser's way to the organization's provider and back. order-core decides; here are only cookies and redirects.
 * Every outcome is a redirect, because a person reads it.
 */
export class SignOnHandlers implements OperationCarrier {
  constructor(private readonly bus: Bus) {}

  async carry(op: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.raw.setHeader('cache-control', 'no-store');
    if (op.name === finishSignOn.name) return this.finish(request, reply);
    requireOwnPage(request);
    const body = validateQuery(StartSignOnQuery, queryStringOf(request.url));
    const begun = await this.bus
      .call(beginSignOnFor, serviceCaller('gateway', request.id), body)
      .catch(notReached);
    if (begun === null) return refuse(reply, 'unavailable', body);
    const { refusal, url, token } = begun;
    if (url === null || token === null) return refuse(reply, refusal ?? 'unavailable', body);
    const cookie = `${COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${COOKIE_SECONDS}`;
    void reply.header('set-cookie', cookie).redirect(url, 303);
  }

  private async finish(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Providers may add further parameters.
    const query = validate(FinishSignOnQuery, parseQuery(queryStringOf(request.url)), { keepUnknown: true });
    const { code, state, iss, error } = query;
    const { signOnOrg: org = '' } = request.params as { signOnOrg?: string };
    const token = onlyCookie(request.headers.cookie, COOKIE);
    const body = { org, token, code, state, iss, error };
    const caller = serviceCaller('gateway', request.id);
    const finished = await this.bus.call(finishSignOnFor, caller, body).catch(notReached);
    const used = `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;
    void reply.header('set-cookie', used);
    if (finished === null) return refuse(reply, 'unavailable', { org });
    const { refusal, to, cookie } = finished;
    if (cookie === null) return refuse(reply, refusal ?? 'refused', { org, to });
    void reply.header('set-cookie', cookie).redirect(to, 303);
  }
}

/** order-core is unreachable or silent. */
function notReached(error: unknown): null {
  if (error instanceof Unreachable) return null;
  throw error;
}

/** The page of the console that states what happened. It keeps the page that was asked for, for the next try. */
function refuse(
  reply: FastifyReply,
  refusal: SignOnRefusal,
  { org, to = FIRST_PAGE }: { org: string; to?: string | undefined },
): void {
  const query = new URLSearchParams({ org, refused: refusal, ...(to !== FIRST_PAGE && { to }) });
  void reply.redirect(`/console/sign-in?${query.toString()}`, 303);
}

/** Otherwise a page of another site could sign its visitor in as another person, at a provider of its choice. */
function requireOwnPage({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new Refused('forbidden', "A sign-on begins on the console's own page.");
}
