import { applyDecorators, Catch, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import {
  type Answer,
  type Call,
  type Operation,
  type ReplyOf,
  subjectOf,
} from '@offizin/contracts/calls/operation';

/** Nest's own filter replaces every error; the operation server needs the original. */
@Catch()
class KeepError implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

type HandlerMethod<O extends Operation> = (call: Call<O>) => Promise<Answer<ReplyOf<O>>>;

/**
 * Makes a method the Nest message handler of an operation, or of several equal ones, with types that the compiler checks.
 * Operations that travel over HTTP use it, too.
 */
export function Handles<Ops extends Operation[]>(...ops: Ops) {
  const decorate = applyDecorators(MessagePattern(ops.map(subjectOf)), UseFilters(KeepError));
  return <M extends HandlerMethod<Ops[number]>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    for (const op of ops) operationBySubject.set(subjectOf(op), op);
    decorate(target, key, descriptor);
  };
}

export const operationBySubject = new Map<string, Operation>();
