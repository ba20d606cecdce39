import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok, type Operation } from '@offizin/contracts/calls/operation';
import { FIXED_LIMITS, type PartnerLimits, type PartnerShop } from '@offizin/contracts/requests/partner-shop';
import { checkBodyHeaders } from '@offizin/http-body/read-body';
import type { OperationCarrier } from '@offizin/http-edge/operation-routes';
import { queryStringOf } from '@offizin/operations/query-string';
import { callHeaders, serveOperation } from '@offizin/operations/serve-operation';
import { callerOf, type PartnerRequest, withoutKey } from '../authentication/integration-key.guard';

/**
 * The shop of the address and the key of the call. The guards have read both from the directory, and only this edge
 * knows its rates, so order-core is not asked.
 */
export class ShopHandlers implements OperationCarrier {
  constructor(private readonly rates: Omit<PartnerLimits, keyof typeof FIXED_LIMITS>) {}

  async carry(op: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    checkBodyHeaders(request.raw, op.maxBodyBytes);
    const known = request as PartnerRequest;
    const received = {
      caller: callerOf(known),
      params: {},
      queryString: queryStringOf(withoutKey(request.url)),
      headers: callHeaders((name) => request.headers[name]?.toString()),
      body: Buffer.alloc(0),
    };
    const answering = serveOperation(op, () => Promise.resolve(ok(this.shopOf(known))), received);
    const { status, headers, body } = await answering;
    void reply.status(status).headers(headers).send(body);
  }

  private shopOf({ shop, user: { expiresAt } }: PartnerRequest): PartnerShop {
    return {
      name: shop.name,
      is_test: shop.is_test === true,
      key_expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      limits: { ...this.rates, ...FIXED_LIMITS },
    };
  }
}
