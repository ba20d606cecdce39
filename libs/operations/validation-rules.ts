import { getMetadataStorage } from 'class-validator';

type Rules = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;

/**
 * Caches the rules of each class: class-validator otherwise collects them anew for each object, from all classes
 * of the program. Safe because all decorators have run before the first object is validated. Call once per
 * process, and only in programs without validation schemas and groups.
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
