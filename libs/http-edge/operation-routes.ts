import {
  Controller,
  Inject,
  type InjectionToken,
  RequestMapping,
  RequestMethod,
  Req,
  Res,
  type Type,
  UseGuards,
  type CanActivate,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '@offizin/contracts/operation';

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
    class OperationRoute {
      constructor(private readonly carrier: OperationCarrier) {}

      async handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
        await this.carrier.carry(op, request, reply);
      }
    }
    const { prototype } = OperationRoute;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, 'handle');
    if (!descriptor) throw new Error('a class without its method');
    Controller()(OperationRoute);
    Inject(carrier)(OperationRoute, undefined, 0);
    Req()(prototype, 'handle', 0);
    Res()(prototype, 'handle', 1);
    UseGuards(...guards(op))(prototype, 'handle', descriptor);
    RequestMapping({ path: op.path.replace(/\{(\w+)\}/g, ':$1'), method: RequestMethod[op.method] })(
      prototype,
      'handle',
      descriptor,
    );
    return OperationRoute;
  });
}
