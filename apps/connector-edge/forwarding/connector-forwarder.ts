import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '@offizin/contracts/calls/operation';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import type { OperationCarrier } from '@offizin/http-edge/operation-routes';
import { checkBodyHeaders } from '@offizin/http-body/read-body';
import { callerOf, type PartnerRequest, withoutKey } from '../authentication/integration-key.guard';

@Injectable()
export class ConnectorForwarder implements OperationCarrier {
  constructor(private readonly proxy: CoreProxy) {}

  async carry(op: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    checkBodyHeaders(request.raw, op.maxBodyBytes);
    const caller = callerOf(request as PartnerRequest);
    reply.hijack();
    const url = withoutKey(request.url);
    await this.proxy.pass(request.raw, reply.raw, { caller, url, maxBytes: op.maxBodyBytes });
  }
}
