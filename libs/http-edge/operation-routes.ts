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

/** Carries one call of an operation; what an edge does with it is written there. */
export interface OperationCarrier {
  carry: (op: Operation, request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/**
 * The routes of an edge, made from the operations: one Nest controller class per operation, with the given guards and
 * the given carrier. So a path stands in the contract and nowhere else.
 */
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
    if (!descriptor) throw new Error('a class without its method');
    Controller()(OperationRoute);
    Inject(carrier)(OperationRoute, undefined, 0);
    // The request is the reply's own: for each parameter Nest makes two promises more, per call.
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
