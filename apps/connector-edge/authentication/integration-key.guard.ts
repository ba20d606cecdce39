import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport';
import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import { apiKeyKind, KeyUses } from '@offizin/directory/api-key';
import { DirectoryReplica } from '@offizin/directory/replica';
import { queryStringOf } from '@offizin/operations/query-string';
import type { KeyOfRequest } from '@offizin/http-edge/unrouted-calls';
import type { ShopRecord } from '@offizin/directory/records';

export interface ShopRequest extends FastifyRequest {
  shop: ShopRecord;
}

/** The shop's domain determines organization and shop of a request; an unknown domain is a 404. */
@Injectable()
export class ShopGuard implements CanActivate {
  constructor(private readonly directory: DirectoryReplica) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ShopRequest>();
    const shop = this.directory.shopByHost(request.headers.host ?? '');
    if (!shop) throw new Refused('not_found', 'No shop is served on this domain.');
    request.shop = shop;
    return true;
  }
}

export interface KeyIdentity {
  actorId: string;
  orgId: string;
  /** Of the key; null for never. */
  expiresAt: string | null;
}

/** A request that both guards have passed. */
export type PartnerRequest = ShopRequest & { user: KeyIdentity };

export function callerOf({ shop, user, id }: PartnerRequest): Caller {
  return {
    kind: 'integration',
    orgId: user.orgId,
    shopId: shop.shop_id,
    ...(shop.is_test === true && { atTestShop: true }),
    actorId: user.actorId,
    scopes: [],
    begunAtMs: Date.now(),
    requestId: id,
  };
}

export function actorIdOf(request: FastifyRequest): string {
  return (request as FastifyRequest & { user: KeyIdentity }).user.actorId;
}

/** Query parameter that may carry the key; removed before the URL is logged or forwarded. */
const KEY_PARAMETER = 'apikey';

/** The other parameters stay byte-identical: the service checks their encoding. */
export function withoutKey(url: string): string {
  if (!url.includes('?')) return url;
  const [path = ''] = url.split('?');
  const parameters = queryStringOf(url).split('&');
  const others = parameters.filter((parameter) => !new URLSearchParams(parameter).has(KEY_PARAMETER));
  return others.length > 0 ? `${path}?${others.join('&')}` : path;
}

/**
 * Accepts an integration key in the header `apikey`, the header `X-API-Key` or the query parameter `apikey`; several
 * places must hold the same key. The key must belong to the shop's organization and, if it is bound to a shop, to this
 * shop.
 */
@Injectable()
export class IntegrationKeyStrategy
  extends PassportStrategy(Strategy, 'integration-key')
  implements KeyOfRequest
{
  constructor(
    private readonly directory: DirectoryReplica,
    private readonly uses: KeyUses,
  ) {
    super();
  }

  override authenticate(request: Parameters<Strategy['authenticate']>[0]): void {
    const identity = this.known(request as ShopRequest & typeof request);
    if (identity === 'two keys') this.error(new Refused('unauthorized', TWO_KEYS));
    else if (identity === null) this.fail('unknown key', 401);
    else this.success(identity);
  }

  /** The identity of the request's key; null if the key does not fit this shop. */
  private known(request: Pick<ShopRequest, 'headers' | 'url' | 'shop'>): KeyIdentity | 'two keys' | null {
    const [text = '', ...others] = keysOf(request);
    if (others.length > 0) return 'two keys';
    const key = apiKeyKind(text) === 'int' ? this.directory.keyByText(text) : null;
    const { shop } = request;
    if (key?.org_id !== shop.org_id || (key.shop_id !== null && key.shop_id !== shop.shop_id)) return null;
    this.uses.note(key.key_id);
    return { actorId: key.key_id, orgId: key.org_id, expiresAt: key.expires_at };
  }

  async keyIdOf({ headers, url }: FastifyRequest): Promise<string | null> {
    const shop = this.directory.shopByHost(headers.host ?? '');
    const identity = shop && this.known({ headers, url, shop });
    return identity && identity !== 'two keys' ? identity.actorId : null;
  }

  /** Required by the base class; `authenticate` replaces it. */
  validate(): never {
    throw new Error('not used');
  }
}

const TWO_KEYS =
  'The call carries different API keys (header apikey, header X-API-Key, query parameter apikey): send one.';

/** The distinct keys of a request. More than one is refused: the service must not guess. */
function keysOf({ headers, url }: Pick<ShopRequest, 'headers' | 'url'>): string[] {
  const inQuery = new URLSearchParams(queryStringOf(url)).getAll(KEY_PARAMETER);
  const given = [headers['apikey'], headers['x-api-key'], ...inQuery].flat();
  return [...new Set(given.filter((text): text is string => text !== undefined && text !== ''))];
}

const KEY_MISSING =
  'The API key is missing: send the key that the pharmacy gave you in the header apikey or X-API-Key.';
const KEY_UNKNOWN =
  'The API key is unknown, revoked, expired, or not one of this shop: ask the pharmacy for the key of this shop.';

@Injectable()
export class IntegrationKeyGuard extends AuthGuard('integration-key') {
  override handleRequest<Identity>(
    error: unknown,
    identity: Identity | false,
    _info: unknown,
    context: ExecutionContext,
  ): Identity {
    if (error instanceof Refused) throw error;
    if (!error && identity) return identity;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    throw new Refused('unauthorized', keysOf(request).length === 0 ? KEY_MISSING : KEY_UNKNOWN);
  }
}
