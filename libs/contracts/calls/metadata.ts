import { ValidateBy } from 'class-validator';
import { field, type FieldOptions, hasAtMost } from './fields';

/** Values of the caller's own, by key, on orders and order requests. See docs/contract.md#metadata */
export const MAX_METADATA_KEYS = 20;
const MAX_VALUE_LENGTH = 500;
const MERGED =
  'Your own values: given keys are set, null removes one, the others stay; null alone removes all';
const KEY = /^[A-Za-z0-9_.-]{1,40}$/;

export type Metadata = Record<string, string>;
/** Null removes a key. */
export type MetadataChange = Record<string, string | null>;

/** As stored. */
export function MetadataField() {
  return metadataField({ takesNull: false }, {});
}

/** A change of what is stored; it may be left out. */
export function MetadataChangeField(description = MERGED) {
  return metadataField({ takesNull: true }, { optional: true, nullable: true, description });
}

function metadataField({ takesNull }: { takesNull: boolean }, options: FieldOptions): PropertyDecorator {
  const problemOf = (value: unknown) => metadataProblem(value, takesNull);
  const check = ValidateBy({
    name: 'metadata',
    validator: {
      validate: (value) => problemOf(value) === null,
      defaultMessage: (args) => problemOf(args?.value) ?? '',
    },
  });
  const schema = {
    type: 'object',
    maxProperties: MAX_METADATA_KEYS,
    propertyNames: { pattern: KEY.source },
    additionalProperties: { type: takesNull ? ['string', 'null'] : 'string', maxLength: MAX_VALUE_LENGTH },
    $check: (value: unknown) => problemOf(value) === null,
  };
  return field(schema, [check], options);
}

/** The rest of a sentence that begins with the field's name; null of valid metadata. */
function metadataProblem(value: unknown, takesNull: boolean): string | null {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return 'must be an object';
  const entries = Object.entries(value);
  if (entries.length > MAX_METADATA_KEYS) return `must have at most ${MAX_METADATA_KEYS} keys`;
  for (const [key, text] of entries) {
    if (!KEY.test(key)) return 'must have keys of 1 to 40 letters, digits and _ . -';
    if (text === null && takesNull) continue;
    if (typeof text !== 'string' || !hasAtMost(MAX_VALUE_LENGTH, text))
      return `must have texts of at most ${MAX_VALUE_LENGTH} characters as values${takesNull ? ', or null' : ''}: ${key}`;
  }
  return null;
}
