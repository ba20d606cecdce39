import { isUtf8 } from 'node:buffer';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { invalid, type Problem } from '@offizin/contracts/calls/errors';
import type { DtoClass } from '@offizin/contracts/calls/operation';
import { fieldsOf } from '@offizin/contracts/calls/schema';
import { truncateName } from '@offizin/runtime/truncate';
import { fastValidate } from './fast-validate';

keepValidationRules();

export const MAX_PROBLEMS = 100;

interface ValidateOptions {
  keepUnknown?: boolean;
  prefix?: string;
  /** The message for an unknown field. */
  unknown?: string;
}

/**
 * Refuses unknown fields unless `keepUnknown`. Throws `Refused` (invalid_request) with every problem by field path,
 * prefixed by `prefix`.
 */
export function validate<T extends object>(
  dto: DtoClass<T>,
  plain: unknown,
  options: ValidateOptions = {},
): T {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw invalid([{ field: options.prefix ?? 'body', message: 'must be a JSON object' }]);
  }
  const sure = fastValidate(dto, plain, options.keepUnknown);
  if (sure) return sure;
  const instance = plainToInstance(dto, plain);
  const errors = validateSync(instance, {
    whitelist: !options.keepUnknown,
    forbidNonWhitelisted: !options.keepUnknown,
    stopAtFirstError: true,
    forbidUnknownValues: true,
  });
  if (errors.length > 0) {
    const { prefix = '', unknown = 'is not a known field' } = options;
    throw invalid(problemsOf(errors, prefix, unknown).slice(0, MAX_PROBLEMS));
  }
  return instance;
}

/** The parameters of a call; `dto` is null where it takes none. Throws `Refused` (invalid_request). */
export function validateQuery<T extends object>(dto: DtoClass<T>, queryString: string): T;
export function validateQuery(dto: DtoClass<object> | null, queryString: string): object;
export function validateQuery(dto: DtoClass<object> | null, queryString: string): object {
  const query = parseQuery(queryString);
  if (dto) {
    const known = [...fieldsOf(dto).keys()].join(', ');
    return validate(dto, query, { unknown: `${UNKNOWN_PARAMETER}: send any of ${known}` });
  }
  const message = `${UNKNOWN_PARAMETER}: this operation takes none`;
  const unknown = Object.keys(query).map((field) => ({ field, message }));
  if (unknown.length > 0) throw invalid(unknown);
  return {};
}

const UNKNOWN_PARAMETER = 'is not a known query parameter';

/** Refuses duplicate parameters and names that exist on every object. */
export function parseQuery(queryString: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  if (NOT_PLAIN.test(queryString)) checkUtf8(queryString);
  for (const [name, value] of new URLSearchParams(queryString)) {
    const field = truncateName(name);
    if (name in Object.prototype) throw invalid([{ field, message: UNKNOWN_PARAMETER }]);
    if (name in query) throw invalid([{ field, message: 'must occur only once in the query' }]);
    if (value.includes('\0')) throw invalid([{ field, message: 'must not hold a NUL character' }]);
    query[name] = value.replace(LOST_PLUS, '$1+$2');
  }
  return { ...query };
}

/** A time whose offset was sent with a raw `+`, which means a blank in a query. */
const LOST_PLUS = /^(\d{4}-\d{2}-\d{2}T[\d:.]+) (\d{2}:\d{2})$/;

/** Without these characters a query string is plain ASCII without percent-encoding. */
const NOT_PLAIN = /[^\x20-\x24\x26-\x7e]/;

/** URLSearchParams replaces invalid UTF-8 silently; a search for such text would find nothing. */
function checkUtf8(queryString: string): void {
  for (const parameter of queryString.split('&')) {
    const bytes = parameter.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    );
    // Node.js decodes the URL as Latin-1: one character per byte.
    if (isUtf8(Buffer.from(bytes, 'latin1'))) continue;
    const [field = ''] = new URLSearchParams(parameter).keys();
    throw invalid([{ field: truncateName(field), message: 'is not valid UTF-8, percent-encoded' }]);
  }
}

function problemsOf(errors: ValidationError[], prefix: string, unknown: string): Problem[] {
  return errors.flatMap((error) => {
    const field = pathOf(prefix, truncateName(error.property));
    const nested = error.children?.length ? problemsOf(error.children, field, unknown) : [];
    const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
      field,
      message: rule === 'whitelistValidation' ? unknown : error.value === undefined ? 'is required' : message,
    }));
    return [...own, ...nested];
  });
}

function pathOf(prefix: string, property: string): string {
  if (/^\d+$/.test(property) && prefix !== '') return `${prefix}[${property}]`;
  return prefix === '' ? property : `${prefix}.${property}`;
}

type Rules = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;

/**
 * Caches the rules of each class, which class-validator collects again for each object. All decorators must have run,
 * without validation schemas and groups. Call once per process.
 */
function keepValidationRules(): void {
  const storage = getMetadataStorage();
  const rulesOf = storage.getTargetValidationMetadatas.bind(storage);
  const groupsOf = storage.groupByPropertyName.bind(storage);
  const byClass = new WeakMap<object, Rules>();
  const byRules = new WeakMap<Rules, ReturnType<typeof groupsOf>>();
  storage.getTargetValidationMetadatas = (target, ...rest) => {
    const known = byClass.get(target);
    if (known) return known;
    const rules = rulesOf(target, ...rest);
    byClass.set(target, rules);
    return rules;
  };
  storage.groupByPropertyName = (rules) => {
    const known = byRules.get(rules) ?? groupsOf(rules);
    byRules.set(rules, known);
    return known;
  };
}
