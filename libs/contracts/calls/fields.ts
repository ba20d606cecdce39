import 'reflect-metadata';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  isEmail,
  IsEmail,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MAX_LENGTH,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { exactMoney, isMoney, MAX_MONEY } from './money';
import { describeField, type JsonSchema } from './schema';
import { isCalendarDate, isTimestamp, toMilliseconds } from './timestamps';

/**
 * Field decorators of all DTOs. One decorator defines validation (class-validator), construction
 * (class-transformer) and the OpenAPI schema, so that they cannot diverge.
 */
export interface FieldOptions {
  /** The field may be left out. */
  optional?: boolean;
  /** The field may be null (on an update: cleared). */
  nullable?: boolean;
  description?: string;
  /** Default applied by the handler. Omit it for a property with an initializer. */
  default?: unknown;
  example?: unknown;
  /** A secret in a reply. The stored answer of an Idempotency-Key, and so each repeat, holds null instead. */
  shownOnce?: boolean;
}

/** Default length limit of strings. See docs/contract.md#conventions */
export const MAX_TEXT_LENGTH = 255;

export interface TextOptions extends FieldOptions {
  maxLength?: number;
  minLength?: number;
  format?: string;
  /** The field is a list of such strings. */
  listOf?: { maxItems: number };
}

export function Text(options: TextOptions = {}) {
  const maxLength = options.maxLength ?? MAX_TEXT_LENGTH;
  const message = (rule: string) => saying(rule, options.listOf !== undefined);
  const checks = [
    IsString(message('must be a string')),
    AtMost(maxLength, message(`must have at most ${maxLength} characters`)),
  ];
  if (options.minLength !== undefined) {
    const rule =
      options.minLength === 1 ? 'must not be empty' : `must have at least ${options.minLength} characters`;
    checks.push(MinLength(options.minLength, message(rule)));
  }
  const bounds =
    options.minLength === undefined ? { maxLength } : { maxLength, minLength: options.minLength };
  const format = options.format === undefined ? {} : { format: options.format };
  const one = { type: 'string', ...bounds, ...format };
  if (!options.listOf) return field(one, checks, options);
  const { maxItems } = options.listOf;
  return field({ type: 'array', items: one, maxItems }, [...listChecks(0, maxItems), ...checks], options);
}

export function Email(options: FieldOptions = {}) {
  return field(
    { type: 'string', format: 'email', maxLength: 255, $check: (value) => isEmail(value) },
    [
      IsString(saying('must be a string')),
      AtMost(255, saying('must have at most 255 characters')),
      IsEmail({}, saying('must be an e-mail address')),
    ],
    options,
  );
}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A name for web addresses. */
export function Slug(options: FieldOptions = {}) {
  const rule = `must have 1 to ${MAX_TEXT_LENGTH} of a-z and 0-9, with single hyphens between them, such as bluete-10-g`;
  const isSlug = (text: string): boolean => text.length <= MAX_TEXT_LENGTH && SLUG.test(text);
  return Ruled(isSlug, rule, { maxLength: MAX_TEXT_LENGTH, pattern: SLUG.source }, options);
}

/** A text with a rule for this field alone; `bounds` describe it. */
export function Ruled(
  isRight: (text: string) => boolean,
  rule: string,
  bounds: JsonSchema,
  options: FieldOptions = {},
) {
  const validate = (value: unknown): boolean => typeof value === 'string' && isRight(value);
  const check = ValidateBy({ name: 'ruled', validator: { validate, defaultMessage: () => rule } });
  return field({ type: 'string', ...bounds, $check: validate }, [check], options);
}

/** One of a fixed set of strings, or with `many` a list of them. */
export function OneOf(values: readonly string[], options: FieldOptions & { many?: boolean } = {}) {
  const one = { type: 'string', enum: [...values] };
  const check = IsIn([...values], saying(`must be one of ${values.join(', ')}`, options.many));
  if (!options.many) return field(one, [check], options);
  const checks = [...listChecks(0, values.length), check];
  return field({ type: 'array', items: one, maxItems: values.length }, checks, options);
}

/**
 * An ISO 8601 date and time with offset, cut to milliseconds; a day that does not exist (Feb 30) is refused.
 * `notBefore` names the field in which its range begins.
 */
export function Timestamp(options: FieldOptions & { notBefore?: string } = {}) {
  const check = ValidateBy({
    name: 'timestamp',
    validator: {
      validate: isTimestamp,
      defaultMessage: () =>
        'must be an ISO 8601 date and time with a zone, such as 2026-01-31T12:00:00Z or …+01:00',
    },
  });
  const cut = Transform(({ value }) => (isTimestamp(value) ? toMilliseconds(value) : (value as unknown)));
  const { notBefore } = options;
  // A range is no matter of one value: class-validator decides.
  const isPlain = (value: unknown) =>
    notBefore === undefined && isTimestamp(value) && toMilliseconds(value) === value;
  const checks = [cut, check, ...(notBefore === undefined ? [] : [rangeCheck(notBefore)])];
  return field({ type: 'string', format: 'date-time', $check: isPlain }, checks, options);
}

function rangeCheck(begin: string): PropertyDecorator {
  return ValidateBy({
    name: 'range',
    validator: {
      validate: (value, args) => {
        const from = (args?.object as Record<string, unknown> | undefined)?.[begin];
        return !isTimestamp(value) || !isTimestamp(from) || Date.parse(from) <= Date.parse(value);
      },
      defaultMessage: () => `must not be before ${begin}`,
    },
  });
}

/**
 * A day as YYYY-MM-DD from 1900 on; a day that does not exist is refused, with `isPast` also one after today in Berlin.
 */
export function CalendarDate({ isPast = false, ...options }: FieldOptions & { isPast?: boolean } = {}) {
  const isRight = (text: string): boolean =>
    isCalendarDate(text) && (!isPast || text <= BERLIN_DAY.format(Date.now()));
  const rule = `must be a day of 1900 or later${isPast ? ', not in the future' : ''}, such as 2026-01-31`;
  return Ruled(isRight, rule, { format: 'date' }, options);
}

/** Pharmacies keep the calendar of Germany. `en-CA` writes YYYY-MM-DD. */
const BERLIN_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' });

/** A sum or an average in a reply; it may exceed the limit of a single amount. */
export function Amount(options: FieldOptions = {}) {
  return field(
    { type: 'number', minimum: 0 },
    [IsNumber({}, saying('must be a number')), Min(0, saying('must be at least 0'))],
    options,
  );
}

/** EUR, 0 to 99,999,999.99, at most two decimals; binary noise is cut. */
export function Money(options: FieldOptions = {}) {
  const check = ValidateBy({
    name: 'money',
    validator: {
      validate: isMoney,
      defaultMessage: () => `must be a number of EUR from 0 to ${MAX_MONEY} with at most two decimals`,
    },
  });
  const cut = Transform(({ value }) => (isMoney(value) ? exactMoney(value) : (value as unknown)));
  const isCut = (value: unknown) => isMoney(value) && exactMoney(value) === value;
  return field({ type: 'number', minimum: 0, maximum: MAX_MONEY, $check: isCut }, [cut, check], options);
}

export function Int(options: FieldOptions & { minimum?: number; maximum?: number } = {}) {
  const minimum = options.minimum ?? 0;
  const maximum = options.maximum ?? Number.MAX_SAFE_INTEGER;
  return field({ type: 'integer', minimum, maximum }, integerChecks(minimum, maximum), options);
}

export const MAX_QUANTITY = 1_000_000;

export function Quantity(options: FieldOptions = {}) {
  return Int({ ...options, minimum: 1, maximum: MAX_QUANTITY });
}

export function Flag(options: FieldOptions = {}) {
  return field({ type: 'boolean' }, [IsBoolean(saying('must be true or false'))], options);
}

/** A JSON object that is stored unchanged; the handler checks its content. */
export function FreeObject(options: FieldOptions & { payloadOf?: () => new () => object } = {}) {
  // `payloadOf` only documents the known keys; the handler checks them, because unknown keys are stored.
  const schema = options.payloadOf
    ? { $openRef: options.payloadOf }
    : { type: 'object', additionalProperties: true };
  return field(schema, [IsObject(saying('must be an object'))], options);
}

/** A nested object, or a list of them. */
export function Nested(
  dto: () => new () => object,
  options: FieldOptions & { list?: { minItems?: number; maxItems: number } } = {},
) {
  const each = options.list !== undefined;
  // IsObject refuses an array inside the list, which ValidateNested alone would descend into.
  const message = saying('must be an object', each);
  const checks = [IsObject(message), ValidateNested(message), Type(dto)];
  if (!options.list) return field({ $ref: dto }, checks, options);
  const { minItems = 0, maxItems } = options.list;
  checks.push(...listChecks(minItems, maxItems));
  const bounds = minItems > 0 ? { minItems, maxItems } : { maxItems };
  return field({ type: 'array', items: { $ref: dto }, ...bounds }, checks, options);
}

/** Refuses a field name of another part of the contract, and names the right one in the error. */
export function UseInstead(rightName: string): PropertyDecorator {
  const check = ValidateBy({
    name: 'useInstead',
    validator: {
      validate: (value) => value === undefined,
      defaultMessage: () => `is not accepted here, use ${rightName}`,
    },
  });
  return (target, key) => check(target, key);
}

/** A whole number in a query string. The property's initializer is the default. */
export function QueryInteger(options: FieldOptions & { minimum: number; maximum: number }) {
  const parse = Transform(({ value }) => parseInteger(value));
  const { minimum, maximum } = options;
  const checks = [parse, ...integerChecks(minimum, maximum)];
  return field({ type: 'integer', minimum, maximum }, checks, { ...options, optional: true });
}

/** Rows to skip, without a maximum. A number beyond 2^53 is rounded, as JSON readers do. */
export function Offset(options: FieldOptions = {}) {
  const parse = Transform(({ value }) => parseInteger(value));
  const checks = [parse, IsInt(saying('must be an integer')), Min(0, saying('must be at least 0'))];
  return field({ type: 'integer', minimum: 0 }, checks, options);
}

export function QueryFlag(options: FieldOptions = {}) {
  const parse = Transform(({ value }) =>
    value === 'true' ? true : value === 'false' ? false : (value as unknown),
  );
  return field({ type: 'boolean' }, [parse, IsBoolean(saying('must be true or false'))], {
    ...options,
    optional: true,
  });
}

export function QueryText(options: FieldOptions & { maxLength?: number } = {}) {
  return Text({ minLength: 1, ...options });
}

export function field(
  schema: JsonSchema,
  checks: PropertyDecorator[],
  options: FieldOptions,
): PropertyDecorator {
  return (target, key) => {
    for (const check of checks) check(target, key);
    if (options.optional && options.nullable) IsOptional()(target, key);
    else if (options.optional) ValidateIf((_, value) => value !== undefined)(target, key);
    else if (options.nullable) ValidateIf((_, value) => value !== null)(target, key);
    describeField(target, String(key), schema, options);
  };
}

/** Error message of a check: the rest of a sentence that starts with the field's name. */
function saying(rule: string, each = false): { each: boolean; message: string } {
  return { each, message: each ? `each value ${rule}` : rule };
}

function integerChecks(minimum: number, maximum: number): PropertyDecorator[] {
  return [
    IsInt(saying('must be an integer')),
    Min(minimum, saying(`must be at least ${minimum}`)),
    Max(maximum, saying(`must be at most ${maximum}`)),
  ];
}

export function listChecks(minItems: number, maxItems: number): PropertyDecorator[] {
  return [
    IsArray(saying('must be a list')),
    ArrayMinSize(minItems, saying(`must have at least ${minItems} entries`)),
    ArrayMaxSize(maxItems, saying(`must have at most ${maxItems} entries`)),
  ];
}

/**
 * Limits the Unicode code points of a text. class-validator's check ignores variation selectors, so it would accept
 * more bytes than the limit allows.
 */
function AtMost(maxLength: number, options: ReturnType<typeof saying>): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && hasAtMost(maxLength, value);
  return ValidateBy({ name: MAX_LENGTH, constraints: [maxLength], validator: { validate } }, options);
}

export function hasAtMost(maxLength: number, text: string): boolean {
  if (text.length <= maxLength) return true;
  // A character has two code units at most.
  if (text.length > 2 * maxLength) return false;
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g) ?? []).length <= maxLength;
}

function parseInteger(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,300}$/.test(value) ? Number(value) : value;
}
