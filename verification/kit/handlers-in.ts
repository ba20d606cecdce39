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
      const op = method && operationOf(method);
      return op ? [[op, method.bind(controller)]] : [];
    });
  });
}

/** By its subject, which is the whole value of one of the decorator's entries. */
function operationOf(method: Method): Operation | undefined {
  const values = Reflect.getMetadataKeys(method).map((key) => String(Reflect.getMetadata(key, method)));
  return values.flatMap((value) => operationBySubject.get(value) ?? [])[0];
}
