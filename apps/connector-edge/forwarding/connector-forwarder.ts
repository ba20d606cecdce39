import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { Operation } from '@offizin/contracts/calls/operation';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import type { OperationCarrier } from '@offizin/http-edge/operation-routes';
import { queryStringOf } from '@offizin/operations/query-string';
import { checkBodyHeaders } from '@offizin/http-body/read-body';
import { KEY_PARAMETER, type KeyIdentity, type ShopRequest } from '../authentication/integration-key.guard';

@Injectable()
export class ConnectorForwarder implements OperationCarrier {
  constructor(private readonly proxy: CoreProxy) {}

  async carry(op: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { shop, user, id } = request as ShopRequest & { user: KeyIdentity };
    checkBodyHeaders(request.raw, op.maxBodyBytes);
    const caller: Caller = {
      kind: 'integration',
      orgId: user.orgId,
      shopId: shop.shop_id,
      actorId: user.actorId,
      scopes: [],
      begunAtMs: Date.now(),
      requestId: id,
    };
    reply.hijack();
    const url = withoutKey(request.url);
    await this.proxy.pass(request.raw, reply.raw, { caller, url, maxBytes: op.maxBodyBytes });
  }
}

/** The other parameters stay byte-identical: order-core checks their encoding. */
function withoutKey(url: string): string {
  if (!url.includes('?')) return url;
  const [path = ''] = url.split('?');
  const parameters = queryStringOf(url).split('&');
  const others = parameters.filter((parameter) => !new URLSearchParams(parameter).has(KEY_PARAMETER));
  return others.length > 0 ? `${path}?${others.join('&')}` : path;
}
