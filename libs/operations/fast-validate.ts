import 'reflect-metadata';
import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { getMetadataStorage, MAX_LENGTH, type ValidationArguments, ValidationTypes } from 'class-validator';

/**
 * Fast path for valid input: the rules of a DTO class, compiled once from the metadata of class-validator and
 * class-transformer. It avoids the errors, copies and lookups of these libraries per value. It returns the
 * instance, or null when class-validator must decide (validate.ts), which alone refuses and explains. Accepted
 * input yields the same instance on both paths: fast-validate.spec.ts checks every class of the contract.
 */
export type FastValidate<T extends object> = (plain: object, keepUnknown?: boolean) => T | null;

type Check = (value: unknown, object: object) => boolean;
type Storage = ReturnType<typeof getMetadataStorage>;
type Rule = ReturnType<Storage['getTargetValidationMetadatas']>[number];
type DtoClass<T extends object = object> = new () => T;

interface Field {
  name: string;
  /** If one returns false, the field is not checked. */
  conditions: Check[];
  checks: Check[];
  /** Class of the object, or of each list item. */
  nested: DtoClass | null;
}

const NEVER_SURE = (): null => null;
const known = new WeakMap<DtoClass, FastValidate<object>>();

export function fastValidate<T extends object>(dto: DtoClass<T>): FastValidate<T> {
  const present = known.get(dto);
  if (present) return present as FastValidate<T>;
  const fields = fieldsOf(dto);
  const made = fields ? acceptanceOf(dto, fields) : NEVER_SURE;
  known.set(dto, made);
  return made;
}

function acceptanceOf<T extends object>(dto: DtoClass<T>, fields: readonly Field[]): FastValidate<T> {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return (plain, keepUnknown = false) => {
    const instance = new dto();
    const values = instance as Record<string, unknown>;
    for (const name of Object.keys(plain)) {
      const field = byName.get(name);
      if (!field && (!keepUnknown || name in instance)) return null;
      const value = built(field?.nested ?? null, (plain as Record<string, unknown>)[name], keepUnknown);
      if (value === NOT_SURE) return null;
      values[name] = value;
    }
    return fields.every((field) => holds(field, values)) ? instance : null;
  };
}

const NOT_SURE = Symbol('not sure');

/** The value in the instance: a nested object of its class, a new list, or a copy of a value without a class. */
function built(nested: DtoClass | null, value: unknown, keepUnknown: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return nested ? builtObject(nested, value, keepUnknown) : copied(value);
  const list = value.map((part: unknown) => (nested ? builtObject(nested, part, keepUnknown) : copied(part)));
  return list.includes(NOT_SURE) ? NOT_SURE : list;
}

function builtObject(nested: DtoClass, value: unknown, keepUnknown: boolean): unknown {
  return (isPlain(value) && fastValidate(nested)(value, keepUnknown)) || NOT_SURE;
}

/** Copies a JSON value. Not sure for keys that exist on every object: class-transformer drops them. */
function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return built(null, value, true);
  if (!isPlain(value)) return NOT_SURE;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const part = copied(value[name]);
    if (part === NOT_SURE || name in Object.prototype) return NOT_SURE;
    copy[name] = part;
  }
  return copy;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function holds({ name, conditions, checks }: Field, object: Record<string, unknown>): boolean {
  const value = object[name];
  for (const condition of conditions) if (!condition(value, object)) return true;
  for (const check of checks) if (!check(value, object)) return false;
  return true;
}

/** Null where a decorator says what is not imitated here. */
function fieldsOf(dto: DtoClass): Field[] | null {
  const storage = getMetadataStorage();
  const rules = storage.getTargetValidationMetadatas(dto, '', false, false);
  const renamed = [
    ...defaultMetadataStorage.getExposedMetadatas(dto),
    ...defaultMetadataStorage.getExcludedMetadatas(dto),
  ];
  if (rules.length === 0 || renamed.length > 0) return null;
  const byField = Object.entries(storage.groupByPropertyName(rules));
  const fields = byField.map(([name, own]) => (name in dto.prototype ? null : fieldOf(dto, name, own)));
  return fields.every((field) => field !== null) ? fields : null;
}

function fieldOf(dto: DtoClass, name: string, rules: readonly Rule[]): Field | null {
  const type = defaultMetadataStorage.findTypeMetadata(dto, name);
  const { PLAIN_TO_CLASS } = TransformationType;
  if (defaultMetadataStorage.findTransformMetadatas(dto, name, PLAIN_TO_CLASS).length > 0) return null;
  const isNested = rules.some((rule) => rule.type === ValidationTypes.NESTED_VALIDATION);
  const nested = type ? nestedClassOf(type) : null;
  if (isNested !== (nested !== null) || (type && !nested)) return null;
  const parts = rules.map((rule) => partOf(dto, rule));
  if (!parts.every((part) => part !== null)) return null;
  return {
    name,
    conditions: parts.flatMap((part) => part.conditions),
    checks: parts.flatMap((part) => part.checks),
    nested,
  };
}

/** Only a class with validation rules: String, Date and similar types convert values. */
function nestedClassOf(type: ReturnType<typeof defaultMetadataStorage.findTypeMetadata>): DtoClass | null {
  if (type.options?.discriminator) return null;
  const nested: unknown = type.typeFunction();
  const isClass = typeof nested === 'function';
  if (!isClass) return null;
  const rules = getMetadataStorage().getTargetValidationMetadatas(nested, '', false, false);
  return rules.length > 0 ? (nested as DtoClass) : null;
}

type Part = Pick<Field, 'conditions' | 'checks'>;

function partOf(dto: DtoClass, rule: Rule): Part | null {
  if (rule.groups?.length > 0 || rule.validateIf) return null;
  switch (rule.type) {
    case ValidationTypes.CONDITIONAL_VALIDATION: {
      const [applies] = rule.constraints as [(object: object, value: unknown) => boolean];
      return { conditions: [(value, object) => applies(object, value)], checks: [] };
    }
    case ValidationTypes.CUSTOM_VALIDATION: {
      const constraints = getMetadataStorage().getTargetValidatorConstraints(rule.constraintCls);
      if (constraints.some(({ async }) => async)) return null;
      return { conditions: [], checks: constraints.map(({ instance }) => checkOf(dto, rule, instance)) };
    }
    case ValidationTypes.NESTED_VALIDATION:
    case ValidationTypes.WHITELIST:
      return { conditions: [], checks: [] };
    default:
      return null;
  }
}

type Validator = ReturnType<Storage['getTargetValidatorConstraints']>[number]['instance'];

function checkOf(dto: DtoClass, rule: Rule, validator: Validator): Check {
  const { name, propertyName: property, each } = rule;
  const constraints: unknown[] = rule.constraints ?? [];
  const [limit] = constraints;
  const one: Check = (value, object) => {
    // A string has at most as many characters as code units; counting characters is expensive.
    if (name === MAX_LENGTH && typeof value === 'string' && value.length <= Number(limit)) return true;
    const args: ValidationArguments = { targetName: dto.name, property, constraints, object, value };
    return validator.validate(value, args) === true;
  };
  if (!each) return one;
  return (value, object) =>
    Array.isArray(value) ? value.every((part) => one(part, object)) : one(value, object);
}
