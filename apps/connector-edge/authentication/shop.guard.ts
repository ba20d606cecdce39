import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refused } from '@offizin/contracts/errors';
import type { ShopRecord } from '@offizin/directory/records';
import { DirectoryReplica } from '@offizin/directory/replica';

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
