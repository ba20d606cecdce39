import { invalid } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import { parseQuery, validate } from './validate';

/** Per operation; a full cache is cleared. */
const MAX_KNOWN_QUERIES = 200;
/** Longer ones contain search texts and rarely repeat. */
const MAX_KNOWN_LENGTH = 200;
const knownQueries = new WeakMap<Operation, Map<string, object>>();

/** Lists are called with few distinct query strings, so results are cached, frozen. */
export function checkedQuery(op: Operation, queryString: string): object {
  let known = knownQueries.get(op);
  if (!known) knownQueries.set(op, (known = new Map<string, object>()));
  const present = known.get(queryString);
  if (present) return present;
  const query = Object.freeze(readQuery(op, queryString));
  if (queryString.length > MAX_KNOWN_LENGTH) return query;
  if (known.size >= MAX_KNOWN_QUERIES) known.clear();
  known.set(queryString, query);
  return query;
}

function readQuery(op: Operation, queryString: string): object {
  const query = parseQuery(queryString);
  if (op.query) return validate(op.query, query);
  const unknown = Object.keys(query).map((field) => ({ field, message: 'is not a known query parameter' }));
  if (unknown.length > 0) throw invalid(unknown);
  return {};
}
