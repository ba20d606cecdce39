import { listChecks } from './fields';
import { AsSent } from '../products/products';
import { describeField } from './schema';

/** A list whose members the handler checks one by one, so that an invalid one does not refuse the others. */
export function Members(
  dto: () => new () => object,
  { minItems = 0, maxItems, description }: { minItems?: number; maxItems: number; description?: string },
): PropertyDecorator {
  const checks = [AsSent(), ...listChecks(minItems, maxItems)];
  const bounds = minItems > 0 ? { minItems, maxItems } : { maxItems };
  return (target, key) => {
    for (const check of checks) check(target, key);
    const items = { $ref: dto, $isDeferred: true } as const;
    describeField(target, String(key), { type: 'array', items, ...bounds }, { description });
  };
}
