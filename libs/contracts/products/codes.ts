import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { lookedUpAs, productCodeOf, pznOf } from '@offizin/codes/product-numbers';
import { field, type FieldOptions, listChecks, Ruled } from '../calls/fields';

/** Codes of a product as they are printed on its pack: its PZN, and GTINs. */

/** Besides the PZN. */
export const MAX_PRODUCT_CODES = 5;

const CODE_RULE = 'must be a GTIN of 8, 12, 13 or 14 digits with its check digit, and an NTIN that of a PZN';

/** 8 digits; one of 7 gets its leading zero. */
export function Pzn(options: FieldOptions = {}): PropertyDecorator {
  const whole = Transform(({ value }) => readAs(pznOf, value));
  const isPzn = ValidateBy({
    name: 'pzn',
    validator: {
      validate: (value) => typeof value === 'string' && pznOf(value) !== null,
      defaultMessage: () => 'must be a PZN of 8 digits, or of 7, with its check digit',
    },
  });
  const isWhole = (value: unknown): boolean => typeof value === 'string' && pznOf(value) === value;
  const schema = { type: 'string', maxLength: 8, pattern: '^\\d{7,8}$', $check: isWhole };
  return field(schema, [whole, isPzn], options);
}

/** GTINs, stored as 14 digits; one that is named twice counts once. */
export function ProductCodes(options: FieldOptions = {}): PropertyDecorator {
  const whole = Transform(({ value }) =>
    Array.isArray(value)
      ? [...new Set(value.map((code: unknown) => readAs(productCodeOf, code)))]
      : (value as unknown),
  );
  const areCodes = ValidateBy({
    name: 'productCodes',
    validator: {
      validate: (value) => !Array.isArray(value) || value.every(isCode),
      defaultMessage: () => CODE_RULE,
    },
  });
  const areWhole = (value: unknown): boolean =>
    Array.isArray(value) && new Set(value).size === value.length && value.every(isWholeCode);
  const items = { type: 'string', maxLength: 14, pattern: '^\\d{8,14}$' };
  const schema = { type: 'array', items, maxItems: MAX_PRODUCT_CODES, $check: areWhole };
  return field(schema, [whole, ...listChecks(0, MAX_PRODUCT_CODES), areCodes], options);
}

/** A filter: the PZN or GTIN of a product. */
export function QueryCode(): PropertyDecorator {
  const rule = 'must be a PZN of 7 or 8 digits or a GTIN of 8, 12, 13 or 14, with its check digit';
  const bounds = { maxLength: 14, pattern: '^\\d{7,14}$' };
  const description = 'PZN or GTIN of the product, one that its pack has';
  return Ruled((text) => lookedUpAs(text).length > 0, rule, bounds, { optional: true, description });
}

function readAs(read: (text: string) => string | null, value: unknown): unknown {
  return typeof value === 'string' ? (read(value) ?? value) : value;
}

function isCode(value: unknown): boolean {
  return typeof value === 'string' && productCodeOf(value) !== null;
}

function isWholeCode(value: unknown): boolean {
  return typeof value === 'string' && productCodeOf(value) === value;
}
