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
      return method ? operationsOf(method).map((op) => [op, method.bind(controller)]) : [];
    });
  });
}

/** By their subjects, which are the whole value of one of the decorator's entries. */
function operationsOf(method: Method): Operation[] {
  const values = Reflect.getMetadataKeys(method).flatMap((key): unknown => Reflect.getMetadata(key, method));
  return values.flatMap((value) => operationBySubject.get(String(value)) ?? []);
}
