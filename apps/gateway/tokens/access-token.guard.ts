import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { apiKeyKind, KeyUses } from '@offizin/directory/api-key';
import { DirectoryReplica } from '@offizin/directory/replica';
import { TOKEN_REQUIRED, unauthorized } from '@offizin/http-edge/contract-errors';
import type { KeyOfRequest } from '@offizin/http-edge/unrouted-calls';
import type { Scope } from '@offizin/contracts/people/scopes';
import { GatewayConfig } from '../config';
import {
  ALGORITHM,
  CLOCK_LEEWAY_SECONDS,
  keyIdOfHeader,
  readClaims,
  scopesOf,
  SigningKeys,
} from './access-token';

type JwtRequest = Parameters<Strategy['authenticate']>[0];
type TokenRequest = Pick<JwtRequest, 'headers'>;

export interface TokenIdentity {
  keyId: string;
  orgId: string;
  scopes: Scope[];
  /** Start of validity, including the leeway for a clock behind the issuer's. */
  validFromMs: number;
  expiresAtMs: number;
}

export function keyIdOf(request: FastifyRequest): string {
  return (request as FastifyRequest & { user: TokenIdentity }).user.keyId;
}

/** Identities are cached because verifying ES256 is the most expensive part of a request. */
const MAX_CACHED_TOKENS = 10_000;

/** The strategy accepts a leeway only in this option, which its types mark as deprecated. */
const CLOCK = { jsonWebTokenOptions: { clockTolerance: CLOCK_LEEWAY_SECONDS } };

/**
 * Verifies access tokens: only ES256, our issuer and audience, a known key id, an expiry. A verified token is cached
 * until it expires. Each request checks in the directory that its API key is live, so revoking a key ends its tokens
 * immediately.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy, 'access-token') implements KeyOfRequest {
  private readonly verified = new Map<string, TokenIdentity>();

  constructor(
    config: GatewayConfig,
    keys: SigningKeys,
    private readonly directory: DirectoryReplica,
    private readonly uses: KeyUses,
  ) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      algorithms: [ALGORITHM],
      issuer: config.publicBaseUrl,
      audience: config.tokenAudience,
      ...CLOCK,
      passReqToCallback: true,
      secretOrKeyProvider: (
        _request: unknown,
        token: string,
        done: (error: unknown, key?: string) => void,
      ) => {
        const kid = keyIdOfHeader(token)?.kid;
        const pem = kid === undefined ? undefined : keys.publicPemByKid.get(kid);
        if (pem === undefined) done(unauthorized());
        else done(null, pem);
      },
    });
  }

  /** Called by Passport for every request. passport-jwt verifies each token once. */
  override authenticate(request: JwtRequest, options?: unknown): void {
    const known = this.known(request);
    if (known) this.success(known);
    else super.authenticate(request, options);
  }

  /** The identity of a cached token that has not expired and whose key is live. */
  private known(request: TokenRequest): TokenIdentity | null {
    const token = tokenOf(request);
    const identity = this.verified.get(token);
    if (!identity) return null;
    const nowMs = Date.now();
    const isInTime = identity.validFromMs <= nowMs && nowMs < identity.expiresAtMs;
    if (isInTime && this.directory.keyById(identity.keyId)) {
      this.uses.note(identity.keyId);
      return identity;
    }
    this.verified.delete(token);
    return null;
  }

  /** Runs this strategy as Passport does, on a copy that has the outcomes as methods. */
  keyIdOf(request: FastifyRequest): Promise<string | null> {
    return new Promise((resolve) => {
      const run: Strategy = Object.assign(Object.create(this) as Strategy, {
        success: ({ keyId }: TokenIdentity) => resolve(keyId),
        fail: () => resolve(null),
        error: () => resolve(null),
      });
      run.authenticate(request as FastifyRequest & JwtRequest);
    });
  }

  /** Called by passport-jwt after it verified signature, issuer and audience. */
  validate(request: TokenRequest, payload: unknown): TokenIdentity | false {
    const claims = readClaims(payload, Date.now() / 1000);
    const key = claims ? this.directory.keyById(claims.sub) : null;
    if (!claims || key?.org_id !== claims.org_id || key.kind !== 'org') return false;
    const { sub: keyId, org_id: orgId, iat, exp } = claims;
    const identity = {
      keyId,
      orgId,
      scopes: scopesOf(claims.scope),
      // Checked on each use: a clock that was ahead accepts tokens that are not valid after its correction.
      validFromMs: (iat - CLOCK_LEEWAY_SECONDS) * 1000,
      expiresAtMs: (exp + CLOCK_LEEWAY_SECONDS) * 1000,
    };
    if (this.verified.size >= MAX_CACHED_TOKENS) this.forgetOldest();
    this.verified.set(tokenOf(request), identity);
    this.uses.note(keyId);
    return identity;
  }

  private forgetOldest(): void {
    const [oldest] = this.verified.keys();
    if (oldest !== undefined) this.verified.delete(oldest);
  }
}

function tokenOf(request: TokenRequest): string {
  return request.headers.authorization ?? '';
}

const RAW_API_KEY =
  'This is an API key, not an access token: exchange it at POST /auth/token and send the token that you get.';

const NO_BEARER =
  'The header Authorization does not begin with Bearer: send Authorization: Bearer, a blank and the access token.';
const TOKEN_INVALID =
  'The access token is wrong, has expired, or its API key was revoked: get a new one at POST /auth/token, and send Authorization: Bearer, a blank and the token.';

function isApiKey(request: TokenRequest): boolean {
  return apiKeyKind(tokenOf(request).replace(/^Bearer\s+/i, '')) !== null;
}

const BEARER = /^Bearer\s+\S/i;

/** The fault of the token, and what to send. */
export function sentenceOf(request: TokenRequest): string {
  const sent = tokenOf(request);
  if (isApiKey(request)) return RAW_API_KEY;
  if (BEARER.test(sent)) return TOKEN_INVALID;
  return /^(?:Bearer)?\s*$/i.test(sent) ? TOKEN_REQUIRED : NO_BEARER;
}

@Injectable()
export class AccessTokenGuard extends AuthGuard('access-token') {
  override handleRequest<Identity>(
    error: unknown,
    identity: Identity | false,
    _info: unknown,
    context: ExecutionContext,
  ): Identity {
    if (!error && identity) return identity;
    const request = context.switchToHttp().getRequest<TokenRequest>();
    const message = sentenceOf(request);
    const hasToken = BEARER.test(tokenOf(request));
    throw unauthorized(
      message,
      hasToken ? `Bearer error="invalid_token", error_description="${message}"` : 'Bearer',
    );
  }
}
