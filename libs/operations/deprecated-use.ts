import {
  addUsedFields,
  deprecatedFieldsOf,
  deprecationsOfAnswers,
} from '@offizin/contracts/deprecated-fields';
import { type Deprecation, deprecationHeaders } from '@offizin/contracts/deprecation';
import type { Operation } from '@offizin/contracts/operation';
import { routedOperation } from '@offizin/contracts/operations';
import type { ReceivedCall } from './serve-operation';
import { parseStrictJson } from './strict-json';

type Input = Pick<ReceivedCall, 'queryString' | 'body' | 'opened'>;

/** Null for an operation without deprecated input. */
const usesByOperation = new WeakMap<Operation, ((input: Input) => Set<Deprecation>) | null>();

/**
 * Headers for the deprecated parameters and fields that a request names, whatever their value; null when it names
 * none. They replace those of the edge, so they include what ends with every answer of the operation.
 */
export function headersOfUse(op: Operation, input: Input): Record<string, string> | null {
  let uses = usesByOperation.get(op);
  if (uses === undefined) usesByOperation.set(op, (uses = usesOf(op)));
  if (uses === null) return null;
  const used = uses(input);
  return used.size === 0
    ? null
    : deprecationHeaders([...deprecationsOfAnswers(routedOperation(op)), ...used]);
}

function usesOf(op: Operation): ((input: Input) => Set<Deprecation>) | null {
  const { query, body: dto } = op;
  const parameters = deprecatedFieldsOf(query);
  const hasFields = deprecatedFieldsOf(dto).length > 0;
  if (parameters.length === 0 && !hasFields) return null;
  return (input) => {
    const given = new URLSearchParams(input.queryString);
    const named = parameters.filter(({ name }) => given.has(name));
    const used = new Set(named.map(({ deprecated }) => deprecated));
    if (dto && hasFields) addUsedFields(dto, bodyOf(op, input), used);
    return used;
  };
}

/** Parsed once more, because a refused or repeated call may not have got to its body. */
function bodyOf(op: Operation, { body, opened }: Input): unknown {
  if (opened) return opened.document ? withField(opened.plain, op.documentField ?? []) : opened.plain;
  try {
    return parseStrictJson(body, op.maxBodyValues ?? undefined);
  } catch {
    return null;
  }
}

/** With an empty text where the document was taken out. */
function withField(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return '';
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [name]: withField(Reflect.get(value, name), rest) };
}
