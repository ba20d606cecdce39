import type { Operation } from '@offizin/contracts/calls/operation';

export interface KnownRoute extends Pick<Operation, 'path'>, Partial<Pick<Operation, 'name'>> {
  method: Operation['method'] | 'HEAD';
}
