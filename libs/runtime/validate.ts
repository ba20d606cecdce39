import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { invalid, type Problem } from '@offizin/contracts/errors';
import type { DtoClass } from '@offizin/contracts/operation';
import { shortName } from './short-name';
import { sureAcceptance } from './sure-acceptance';
import { keepValidationRules } from './validation-rules';

keepValidationRules();

/** Names every problem of a request, but not more than a person can read. */
const MAX_PROBLEMS = 100;

/**
 * Builds and checks one DTO, once, in the owning service. Unknown fields are refused unless `keepUnknown`.
 * Throws `Refused` (invalid_request) with every problem by field path, prefixed by `prefix`.
 */
export function validate<T extends object>(
  dto: DtoClass<T>,
  plain: unknown,
  options: { keepUnknown?: boolean; prefix?: string } = {},
): T {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw invalid([{ field: options.prefix ?? 'body', message: 'must be a JSON object' }]);
  }
  const sure = sureAcceptance(dto)(plain, options.keepUnknown);
  if (sure) return sure;
  const instance = plainToInstance(dto, plain);
  const errors = validateSync(instance, {
    whitelist: !options.keepUnknown,
    forbidNonWhitelisted: !options.keepUnknown,
    stopAtFirstError: true,
    forbidUnknownValues: true,
  });
  if (errors.length > 0) throw invalid(problemsOf(errors, options.prefix ?? '').slice(0, MAX_PROBLEMS));
  return instance;
}

/** A query string as an object of strings; a parameter that stands twice, or that every object has, is refused. */
export function parseQuery(queryString: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(queryString)) {
    const field = shortName(name);
    if (name in Object.prototype) throw invalid([{ field, message: 'is not a known query parameter' }]);
    if (name in query) throw invalid([{ field, message: 'stands twice in the query' }]);
    if (value.includes('\0')) throw invalid([{ field, message: 'must not hold a NUL character' }]);
    query[name] = value;
  }
  return { ...query };
}

function problemsOf(errors: ValidationError[], prefix: string): Problem[] {
  return errors.flatMap((error) => {
    const field = pathOf(prefix, shortName(error.property));
    const nested = error.children?.length ? problemsOf(error.children, field) : [];
    const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
      field,
      message: rule === 'whitelistValidation' ? 'is not a known field' : message,
    }));
    return [...own, ...nested];
  });
}

function pathOf(prefix: string, property: string): string {
  if (/^\d+$/.test(property) && prefix !== '') return `${prefix}[${property}]`;
  return prefix === '' ? property : `${prefix}.${property}`;
}
