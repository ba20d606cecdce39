import { rulesOf } from './schema';
import { BY_NAME } from './sentences/by-name';
import { ORDER_SENTENCES } from './sentences/orders';
import { ORGANIZATION_SENTENCES } from './sentences/organization';
import { PRODUCT_SENTENCES } from './sentences/products';
import { REQUEST_SENTENCES } from './sentences/order-requests';
import { WEBHOOK_SENTENCES } from './sentences/webhooks';

/**
 * Sentences of the OpenAPI description: those that many classes share, by the name of the property, and those of one
 * class. One that is written at the field (`description` of fields.ts) or at the class (`@Described`) wins.
 * tools/openapi/sentences.spec.ts refuses a property without a sentence, and a sentence that it does not show.
 */

/** Sentences of one class by property; `$` is that of the class itself. */
export type ClassSentences = Readonly<Record<string, string>>;

export const BY_CLASS: Readonly<Record<string, ClassSentences>> = {
  ...ORDER_SENTENCES,
  ...REQUEST_SENTENCES,
  ...PRODUCT_SENTENCES,
  ...WEBHOOK_SENTENCES,
  ...ORGANIZATION_SENTENCES,
};

/** The sentence of a property: that of its class, of the nearest ancestor that has one, or of the name. */
export function sentenceOfField(dto: new () => object, field: string): string | undefined {
  for (let at: unknown = dto; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    const own = BY_CLASS[at.name]?.[field];
    if (own !== undefined) return own;
  }
  return BY_NAME[field];
}

/** The sentence of a class. Subclasses do not inherit it. */
export function sentenceOfClass(dto: new () => object): string | undefined {
  const { description } = rulesOf(dto);
  return typeof description === 'string' ? description : BY_CLASS[dto.name]?.['$'];
}
