import {
  type CanActivate,
  Controller,
  Inject,
  type InjectionToken,
  RequestMapping,
  RequestMethod,
  Res,
  type Type,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routerPath } from '@offizin/contracts/calls/path-template';
import type { Operation } from '@offizin/contracts/calls/operation';
import { Refused } from '@offizin/contracts/calls/errors';
import { acceptedType } from '@offizin/runtime/accepted-type';

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

const ACCEPT_ALL = new Set([undefined, '', '*/*', 'application/json', 'application/json, text/plain, */*']);

/** Every operation offers JSON, since its errors are JSON. The check throws `Refused` (not_acceptable). */
export function acceptCheck(op: Operation): (accept: string | undefined) => void {
  const offered = ['application/json'];
  if (op.alsoCsv) offered.push('text/csv');
  if (typeof op.reply === 'string') offered.push(op.reply);
  const message = `This operation answers ${offered.join(' or ')}: accept ${offered.length > 1 ? 'one of them' : 'it'}.`;
  return (accept) => {
    if (ACCEPT_ALL.has(accept) || acceptedType(accept, offered) !== null) return;
    throw new Refused('not_acceptable', message);
  };
}
