import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { Refused } from '@offizin/contracts/calls/errors';
import { MAX_BODY_BYTES } from '@offizin/contracts/calls/operation';
import type { Scope } from '@offizin/contracts/people/scopes';
import { exchangeToken, type TokenResponse } from '@offizin/contracts/people/tokens';
import { apiKeyKind, KeyUses } from '@offizin/directory/api-key';
import type { KeyRecord } from '@offizin/directory/records';
import { DirectoryReplica } from '@offizin/directory/replica';
import { acceptCheck } from '@offizin/http-edge/operation-routes';
import { unauthorized } from '@offizin/http-edge/contract-errors';
import { answerFile, type PublishedFile, publishedFile } from '@offizin/http-edge/published-file';
import { applyVerdict } from '@offizin/http-edge/rate-limit.guard';
import { checkNotCompressed, hasBody, mediaType, readBody } from '@offizin/http-body/read-body';
import { queryStringOf } from '@offizin/operations/query-string';
import { checkPreconditions } from '@offizin/operations/serve-operation';
import { validateQuery } from '@offizin/operations/validate';
import { TrustedProxies } from '@offizin/http-edge/trusted-proxies';
import { GatewayConfig } from '../config';
import { scopesOf, SigningKeys, signToken } from './access-token';
import { TokenLimits } from './token-limits';
import { OAUTH_METADATA_PATH, oauthRefusal, serverMetadata } from './oauth';
import { isOAuthRequest, readTokenRequest, type TokenAsk } from './token-request';

const JSON_TYPE = 'application/json; charset=utf-8';
const checkAccept = acceptCheck(exchangeToken);

const KEY_MISSING =
  'The API key is missing: send it as api_key in JSON, in the header X-API-Key, or as client_secret of the form grant_type=client_credentials.';
const KEY_UNKNOWN =
  'The API key is unknown, revoked or expired, or it is not one to exchange for a token: send a key of the kind org, as it was shown when it was made.';

@Controller()
export class TokensHandlers {
  private readonly jwks: PublishedFile;
  private readonly metadata: PublishedFile;

  constructor(
    private readonly config: GatewayConfig,
    private readonly keys: SigningKeys,
    private readonly directory: DirectoryReplica,
    private readonly limits: TokenLimits,
    private readonly uses: KeyUses,
    private readonly trusted: TrustedProxies,
  ) {
    this.jwks = publishedFile(JSON_TYPE, JSON.stringify(keys.jwks));
    this.metadata = publishedFile(JSON_TYPE, JSON.stringify(serverMetadata(config.publicBaseUrl)));
  }

  @Post('/auth/token')
  async exchange(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, null);
  }

  @Post('/api/v2/public/orgs/:orgId/auth/token')
  async exchangeOfOrganization(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, (request.params as { orgId: string }).orgId);
  }

  @Get('/.well-known/jwks.json')
  publicKeys(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.jwks, request, reply);
  }

  @Get(OAUTH_METADATA_PATH)
  oauthMetadata(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answerFile(this.metadata, request, reply);
  }

  private async answer(request: FastifyRequest, reply: FastifyReply, orgId: string | null): Promise<void> {
    const type = mediaType(request.headers['content-type']);
    const answering = this.exchangeKey(request, reply, orgId);
    if (!isOAuthRequest(request.raw.headersDistinct, type)) return answering;
    await answering.catch((error: unknown) => {
      throw error instanceof Refused ? oauthRefusal(error) : error;
    });
  }

  private async exchangeKey(
    request: FastifyRequest,
    reply: FastifyReply,
    orgId: string | null,
  ): Promise<void> {
    const isShared = this.trusted.isUndeclared(request.raw);
    const ofAddress = isShared ? null : this.limits.takeForAddress(request.ip);
    if (ofAddress) applyVerdict(reply, ofAddress, 'token_address');
    const { ask, key } = await this.read(request).catch((error: unknown) => {
      // Only failures count here: a valid key must not be refused for wrong keys behind the same load balancer.
      if (isShared) applyVerdict(reply, this.limits.takeForAddress(request.ip), 'token_address');
      throw error;
    });
    applyVerdict(reply, this.limits.takeForKey(key.key_id, ofAddress), 'token_key');
    if (orgId !== null && orgId !== key.org_id) {
      throw new Refused('forbidden', 'The API key belongs to another organization.');
    }
    this.uses.note(key.key_id);
    reply.code(200).header('cache-control', 'no-store').send(this.tokenFor(key, ask.scope));
  }

  private async read(request: FastifyRequest): Promise<{ ask: TokenAsk; key: KeyRecord }> {
    checkAccept(request.headers.accept);
    checkPreconditions(exchangeToken, request.headers);
    checkNotCompressed(request.raw);
    const type = mediaType(request.headers['content-type']);
    // RFC 6749, section 3.2: a token endpoint ignores parameters that it does not know.
    if (!isOAuthRequest(request.raw.headersDistinct, type))
      validateQuery(exchangeToken.query, queryStringOf(request.url));
    if (hasBody(request.raw) && type !== 'application/json' && type !== 'application/x-www-form-urlencoded') {
      throw new Refused('unsupported_media_type', 'Send JSON or an OAuth 2.0 form.');
    }
    const { bytes, release } = await readBody(request.raw, MAX_BODY_BYTES, request.ip);
    release();
    const ask = readTokenRequest(request.raw.headersDistinct, type, bytes);
    return { ask, key: this.exchangeableKey(ask) };
  }

  private exchangeableKey(ask: TokenAsk): KeyRecord {
    const key = apiKeyKind(ask.apiKey) === 'org' ? this.directory.keyByText(ask.apiKey) : null;
    if (key && (ask.clientId === null || ask.clientId === key.key_id)) return key;
    throw unauthorized(ask.apiKey === '' ? KEY_MISSING : KEY_UNKNOWN);
  }

  private tokenFor(key: KeyRecord, wanted: string | null): TokenResponse {
    const scopes = narrowed(key.scopes, wanted);
    const { tokenLifetimeSeconds, publicBaseUrl: issuer, tokenAudience: audience } = this.config;
    // A token must not outlive its key, nor claim to.
    const leftMs = key.expires_at === null ? Infinity : Date.parse(key.expires_at) - Date.now();
    const lifetimeSeconds = Math.max(1, Math.min(tokenLifetimeSeconds, Math.floor(leftMs / 1000)));
    const token = { keyId: key.key_id, orgId: key.org_id, scopes, tokenId: uuidv7() };
    return {
      access_token: signToken(this.keys, { issuer, audience, lifetimeSeconds }, token),
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      scope: scopes.join(' '),
      org_id: key.org_id,
    };
  }
}

/** The key's scopes, or the requested subset; requesting a scope that the key lacks is refused. */
function narrowed(granted: readonly Scope[], wanted: string | null): readonly Scope[] {
  if (wanted === null || wanted.trim() === '') return granted;
  const requested = wanted.trim().split(/\s+/);
  const missing = requested.filter((scope) => !granted.some((own) => own === scope));
  if (missing.length > 0)
    throw new Refused('insufficient_scope', `The API key lacks the scope ${missing.join(', ')}.`);
  return scopesOf(requested.join(' '));
}
