import { getMetadataStorage } from 'class-validator';

type Rules = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;

/**
 * Caches the rules of each class, which class-validator collects anew for each object. All decorators must have run,
 * without validation schemas and groups. Call once per process.
 */
export function keepValidationRules(): void {
  const storage = getMetadataStorage();
  const rulesOf = storage.getTargetValidationMetadatas.bind(storage);
  const groupsOf = storage.groupByPropertyName.bind(storage);
  const byClass = new WeakMap<object, Rules>();
  const byRules = new WeakMap<Rules, ReturnType<typeof groupsOf>>();
  storage.getTargetValidationMetadatas = (target, schema, always, strict, groups) => {
    const known = byClass.get(target);
    if (known) return known;
    const rules = rulesOf(target, schema, always, strict, groups);
    byClass.set(target, rules);
    return rules;
  };
  storage.groupByPropertyName = (rules) => {
    const known = byRules.get(rules) ?? groupsOf(rules);
    byRules.set(rules, known);
    return known;
  };
}
