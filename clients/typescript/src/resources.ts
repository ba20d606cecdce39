import type { ApiCall } from './api-call';
import { NotFound } from './errors';
import { itemsOf } from './items';
import type { CallOptions, CamelCase, OperationResources, OrderFinding, Resources } from './resource-types';
import { ROUTES } from './generated/routes';

type Call = (call: ApiCall, options: CallOptions) => Promise<unknown>;
type Method = (...given: never[]) => unknown;

/** The methods of all operations, by noun; `call` sends what they ask for. */
export function resourcesOf(call: Call): Resources {
  const resources: Record<string, Record<string, Method>> = {};
  for (const [id, route] of Object.entries(ROUTES)) {
    const [noun = '', action = ''] = id.split('.').map(camelCase);
    (resources[noun] ??= {})[action] = methodOf(id, route, call);
  }
  const made = resources as OperationResources;
  return { ...made, orders: { ...made.orders, find: findOrderBy(made.orders) } };
}

/** By the list, whose filters are exact, then as a whole. */
function findOrderBy({ list, get }: OperationResources['orders']): OrderFinding['find'] {
  return async (externalId, shopId, options = {}) => {
    // A filter that is left out would find another order.
    if (!externalId || !shopId) throw new TypeError('orders.find needs an external id and the id of a shop.');
    const query = { external_id: externalId, shop_id: shopId, limit: 1 };
    let requestId: string | null = null;
    const onResponse: CallOptions['onResponse'] = (answer) => {
      requestId = answer.headers.get('x-request-id');
      options.onResponse?.(answer);
    };
    const [found] = (await list(query, { ...options, onResponse }).firstPage()).data;
    if (found) return get(found.id, options);
    const message = `The shop has no order with the external id ${externalId}.`;
    throw new NotFound(404, 'not_found', message, [], requestId);
  };
}

/** Takes the values of the path in their order, then body or query if the operation has any, then the options. */
function methodOf(id: string, route: string, call: Call): Method {
  const [word = '', template = '', input] = route.split(' ');
  const isList = word === 'LIST' || word === 'FEED';
  const parameters = template.match(/\{(?!orgId\})\w+\}/g) ?? [];
  return (...given: unknown[]) => {
    const rest = [...given];
    const path = parameters.reduce(
      (text, parameter) => text.replace(parameter, segment(rest.shift(), id)),
      template,
    );
    const value = isList || input !== undefined ? rest.shift() : undefined;
    const options = (rest[0] ?? {}) as CallOptions & { query?: ApiCall['query'] };
    if (input === 'body') return call({ method: word, path, body: value, query: options.query }, options);
    const query = (value ?? {}) as NonNullable<ApiCall['query']>;
    if (!isList) return call({ method: word, path, query }, options);
    const cursorName = word === 'FEED' ? 'after' : 'cursor';
    return itemsOf(query, cursorName, (next) => call({ method: 'GET', path, query: next }, options));
  };
}

/** An id as a segment of a path. An empty one, `.` or `..` would lead to another operation. */
function segment(given: unknown, operation: string): string {
  const id = typeof given === 'number' ? String(given) : given;
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${operation} needs an id.`);
  return encodeURIComponent(id);
}

function camelCase<Name extends string>(name: Name): CamelCase<Name> {
  return name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase()) as CamelCase<Name>;
}
