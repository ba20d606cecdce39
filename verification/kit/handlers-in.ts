import { PATTERN_METADATA } from '@nestjs/microservices/constants';
import { operationBySubject } from '@offizin/bus/handles';
import type { Operation } from '@offizin/contracts/calls/operation';
import type { OperationHandler } from '@offizin/operations/serve-operation';

type Method = (this: object, ...call: Parameters<OperationHandler>) => ReturnType<OperationHandler>;

/** The operations of these objects, found by `@Handles` as in the service, but without Nest and a bus. */
export function handlersIn(...controllers: object[]): [Operation, OperationHandler][] {
  return controllers.flatMap((controller) => {
    const prototype = Object.getPrototypeOf(controller) as Record<string, Method>;
    return Object.getOwnPropertyNames(prototype).flatMap((name): [Operation, OperationHandler][] => {
      const method = prototype[name];
      const [subject = ''] = method
        ? ((Reflect.getMetadata(PATTERN_METADATA, method) ?? []) as string[])
        : [];
      const op = operationBySubject.get(subject);
      return op && method ? [[op, method.bind(controller)]] : [];
    });
  });
}
