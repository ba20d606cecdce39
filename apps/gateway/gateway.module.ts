import { type DynamicModule, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Bus } from '@offizin/bus/bus';
import type { Operation } from '@offizin/contracts/calls/operation';
import { organizationOperations } from '@offizin/contracts/operations';
import { KeyUses } from '@offizin/directory/api-key';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { operationRoutes } from '@offizin/http-edge/operation-routes';
import { RateLimitGuard } from '@offizin/http-edge/rate-limit.guard';
import { RateLimiter } from '@offizin/http-edge/rate-limiter';
import { KeyOfRequest } from '@offizin/http-edge/unrouted-calls';
import { TrustedProxies } from '@offizin/http-edge/trusted-proxies';
import { GatewayConfig } from './config';
import { ConsoleDoor } from './console/console-door';
import { SignOnHandlers } from './console/sign-on.handlers';
import { ConsoleFilesHandlers } from './console/console-files.handlers';
import { Forwarder } from './forwarding/forwarder';
import { ScopeGuard } from './forwarding/scope.guard';
import { FrontPageHandlers } from './front-page/front-page.handlers';
import { LiveHandlers } from './live/live.handlers';
import { OpenApiHandlers } from './openapi/openapi.handlers';
import { ProofKeysHandlers } from './proofs/proof-keys.handlers';
import { ReferencePageHandlers } from './reference-page/reference-page.handlers';
import { AccessTokenGuard, AccessTokenStrategy, keyIdOf } from './tokens/access-token.guard';
import { PasswordTurns } from './forwarding/password-turns';
import { SigningKeys } from './tokens/access-token';
import { TokenLimits } from './tokens/token-limits';
import { TokensHandlers } from './tokens/tokens.handlers';

export interface GatewayParts {
  config: GatewayConfig;
  keys: SigningKeys;
  bus: Bus;
  proxy: CoreProxy;
  directory: DirectoryReplica;
  keyUses: KeyUses;
  /** Number of replicas that share the rate limits. */
  replicas: () => number;
  consoleDoor: ConsoleDoor;
  live: LiveHandlers;
  trusted: TrustedProxies;
}

/** authenticate -> rate limit -> organization and scope -> forward. Routes derive from libs/contracts/operations. */
@Module({})
export class GatewayModule {
  static with(parts: GatewayParts): DynamicModule {
    const { config, replicas } = parts;
    const rate = { perSecond: config.apiRatePerSecond, burst: config.apiRateBurst };
    const rateLimit = new RateLimitGuard('api', new RateLimiter(rate, replicas), keyIdOf);
    const tokenLimits = new TokenLimits(
      {
        perKeyPerMinute: config.tokensPerKeyPerMinute,
        perAddressPerMinute: config.tokensPerAddressPerMinute,
      },
      replicas,
    );
    const guards = (op: Operation) => [AccessTokenGuard, rateLimit, new ScopeGuard(op)];
    return {
      module: GatewayModule,
      imports: [PassportModule],
      controllers: [
        FrontPageHandlers,
        TokensHandlers,
        ProofKeysHandlers,
        OpenApiHandlers,
        ReferencePageHandlers,
        ...operationRoutes(organizationOperations, Forwarder, guards),
        ...parts.consoleDoor.controllers,
        ConsoleFilesHandlers,
      ],
      providers: [
        AccessTokenStrategy,
        Forwarder,
        PasswordTurns,
        { provide: LiveHandlers, useValue: parts.live },
        { provide: SignOnHandlers, useValue: new SignOnHandlers(parts.bus) },
        { provide: GatewayConfig, useValue: parts.config },
        { provide: SigningKeys, useValue: parts.keys },
        { provide: Bus, useValue: parts.bus },
        { provide: CoreProxy, useValue: parts.proxy },
        { provide: DirectoryReplica, useValue: parts.directory },
        { provide: KeyUses, useValue: parts.keyUses },
        { provide: TokenLimits, useValue: tokenLimits },
        { provide: TrustedProxies, useValue: parts.trusted },
        { provide: RateLimitGuard, useValue: rateLimit },
        { provide: KeyOfRequest, useExisting: AccessTokenStrategy },
      ],
    };
  }
}
