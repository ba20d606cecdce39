import type { Operation } from '@offizin/contracts/calls/operation';

export interface KnownRoute extends Pick<Operation, 'path'>, Partial<Pick<Operation, 'name'>> {
  method: Operation['method'] | 'HEAD';
}

export function withHeads(routes: readonly KnownRoute[]): KnownRoute[] {
  return routes.flatMap((route) =>
    route.method === 'GET' ? [route, { ...route, method: 'HEAD' as const }] : route,
  );
}
