import {
  Controller,
  Inject,
  type InjectionToken,
  RequestMapping,
  RequestMethod,
  Res,
  type Type,
  UseGuards,
  type CanActivate,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routerPath } from '@offizin/contracts/path-template';
import type { Operation } from '@offizin/contracts/operation';
import { acceptCheck } from './accept-check';

export interface OperationCarrier {
  carry: (op: Operation, request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** One Nest controller class per operation. */
export function operationRoutes(
  operations: readonly Operation[],
  carrier: InjectionToken & Type<OperationCarrier>,
  guards: (op: Operation) => (Type<CanActivate> | CanActivate)[],
): Type[] {
  return operations.map((op) => {
    const checkAccept = acceptCheck(op);
    class OperationRoute {
      constructor(private readonly carrier: OperationCarrier) {}

      handle(reply: FastifyReply): Promise<void> {
        const { request } = reply;
        checkAccept(request.headers.accept);
        return this.carrier.carry(op, request, reply);
      }
    }
    const { prototype } = OperationRoute;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, 'handle');
    if (!descriptor) throw new Error('OperationRoute has no method handle');
    Controller()(OperationRoute);
    Inject(carrier)(OperationRoute, undefined, 0);
    // Only the reply is injected (it holds the request): Nest creates two promises per parameter and call.
    Res()(prototype, 'handle', 0);
    UseGuards(...guards(op))(prototype, 'handle', descriptor);
    RequestMapping({ path: routerPath(op.path), method: RequestMethod[op.method] })(
      prototype,
      'handle',
      descriptor,
    );
    return OperationRoute;
  });
}
