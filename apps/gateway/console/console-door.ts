import type { CanActivate, Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Bus } from '@offizin/bus/bus';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import { CONSOLE_DOOR } from '@offizin/contracts/console/console';
import type { Operation } from '@offizin/contracts/calls/operation';
import { consoleDoorOperations } from '@offizin/contracts/operations';
import { findSession, sessionsUsed } from '@offizin/contracts/people/session-records';
import { KeyUses } from '@offizin/directory/api-key';
import type { DirectoryReplica } from '@offizin/directory/replica';
import { networkOf, type TrustedProxies } from '@offizin/http-edge/trusted-proxies';
import { operationRoutes } from '@offizin/http-edge/operation-routes';
import { RateLimitGuard } from '@offizin/http-edge/rate-limit.guard';
import { RateLimiter } from '@offizin/http-edge/rate-limiter';
import { newRequestId } from '@offizin/runtime/request-id';
import type { GatewayConfig } from '../config';
import { type CallIdentity, Forwarder } from '../forwarding/forwarder';
import { hashesPassword } from '../forwarding/password-turns';
import { ScopeGuard } from '../forwarding/scope.guard';
import { LiveHandlers } from '../live/live.handlers';
import { AnonymousGuard, OriginGuard, SessionGuard } from './session.guard';
import { Sessions } from './sessions';
import { SignOnHandlers } from './sign-on.handlers';

/** A person works with bursts of reads; a session never needs more. See docs/contract.md#rates */
const SESSION_RATE = { perSecond: 50, burst: 100 };
/** For a person, who may have many sessions. See docs/contract.md#rates */
const PASSWORD_RATE = { perSecond: 10 / 60, burst: 10 };
const FIND_TIMEOUT_MS = 2_000;

/** The operations as the console calls them: the same ones, under its own path. */
export const consoleRoutes: readonly Operation[] = consoleDoorOperations.map((op) => ({
  ...op,
  path: `${CONSOLE_DOOR}${op.path}`,
}));

interface Parts {
  config: GatewayConfig;
  bus: Bus;
  directory: DirectoryReplica;
  replicas: () => number;
  trusted: TrustedProxies;
}

/** The second door: session -> origin -> rate limit -> organization and scope of the role -> forward, or live. */
export class ConsoleDoor {
  /** When sessions were used, for their end by idleness. */
  readonly uses: KeyUses;
  readonly controllers: Type[];

  constructor({ config, bus, directory, replicas, trusted }: Parts) {
    const gateway = () => serviceCaller('gateway', newRequestId());
    this.uses = new KeyUses((uses) => {
      const body = { uses: uses.map(({ key_id, at }) => ({ session_id: key_id, at })) };
      return bus.call(sessionsUsed, gateway(), body, FIND_TIMEOUT_MS);
    });
    const perMinute = config.signInsPerAddressPerMinute;
    const find = async (hash: string, requestId: string) => {
      const caller = serviceCaller('gateway', requestId);
      return (await bus.call(findSession, caller, { hash }, FIND_TIMEOUT_MS)).session;
    };
    // Some questions for each sign-in: a page sends several requests in parallel.
    const questions = new RateLimiter({ perSecond: perMinute / 10, burst: perMinute * 2 }, replicas);
    const sessions = new Sessions(directory, find, questions);
    const ownOrigin = new URL(config.publicBaseUrl).origin;
    const sessionRate = new RateLimitGuard('session', new RateLimiter(SESSION_RATE, replicas), sessionIdOf);
    // Each operation has its own, so that one of them cannot shut the others.
    const signInRate = () =>
      new RateLimitGuard(
        'sign_in',
        new RateLimiter({ perSecond: perMinute / 60, burst: perMinute }, replicas),
        ({ ip }) => networkOf(ip),
      );
    const passwordRate = () =>
      new RateLimitGuard('password', new RateLimiter(PASSWORD_RATE, replicas), staffIdOf);
    const guards = (op: Operation): CanActivate[] => {
      const origin = new OriginGuard(op, ownOrigin);
      if (op.access === 'anyone') return [origin, new AnonymousGuard(op, signInRate(), trusted)];
      const rates = hashesPassword(op) ? [sessionRate, passwordRate()] : [sessionRate];
      return [new SessionGuard(op, sessions, this.uses), origin, ...rates, new ScopeGuard(op)];
    };
    const own = consoleRoutes.filter(({ service }) => service === 'gateway');
    const signOn = own.filter(({ access }) => access === 'anyone');
    const live = own.filter((op) => !signOn.includes(op));
    const forwarded = consoleRoutes.filter((op) => !own.includes(op));
    this.controllers = [
      ...operationRoutes(forwarded, Forwarder, guards),
      ...operationRoutes(live, LiveHandlers, guards),
      ...operationRoutes(signOn, SignOnHandlers, guards),
    ];
  }
}

function staffIdOf(request: FastifyRequest): string {
  const { user } = request as FastifyRequest & { user: CallIdentity };
  return user.staffId ?? '';
}

function sessionIdOf(request: FastifyRequest): string {
  const { user } = request as FastifyRequest & { user: CallIdentity };
  return user.sessionId ?? '';
}
