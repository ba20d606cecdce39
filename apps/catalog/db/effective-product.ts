/**
 * The shown product, in SQL: catalog values (p), overlaid by the organization's (i), overlaid by the shop's
 * overrides (s). Defined once, so that lists and single reads agree.
 */

const overridden = {
  name: `s.overrides->>'name'`,
  description: `s.overrides->>'description'`,
  category: `s.overrides->>'category'`,
  price: `(s.overrides->>'price')::numeric`,
  available: `(s.overrides->>'available')::boolean`,
};
type OverridableColumn = keyof typeof overridden;

/** The organization's values, or those of the shop of row `s`. */
export type ProductView = 'organization' | 'shop';

/** SQL of the shop's own value; null where the organization's counts. */
export function shopValue(column: OverridableColumn): string {
  return overridden[column];
}

/** SQL of one effective value, by column name. */
export function effective(column: OverridableColumn, view: ProductView): string {
  const layers = view === 'shop' ? [overridden[column], `i.${column}`] : [`i.${column}`];
  return `coalesce(${[...layers, `p.${column}`].join(', ')})`;
}

/** SQL of the codes that count in the organization: no code belongs to a shop. */
export const OWN_CODES = { pzn: 'coalesce(i.pzn, p.pzn)', codes: 'coalesce(i.codes, p.codes)' };

/** The columns of ShownProduct, in the order of the contract. */
export function shownColumns(view: ProductView, available = effective('available', view)): string {
  return `i.p1_id,
    ${effective('name', view)} AS name,
    i.slug,
    ${effective('category', view)} AS category,
    ${effective('price', view)}::float8 AS price,
    i.stock_quantity,
    ${view === 'shop' ? 's.shop_id' : 'NULL::uuid AS shop_id'},
    coalesce(i.thc, p.thc) AS thc,
    coalesce(i.cbd, p.cbd) AS cbd,
    ${available} AS available,
    ${OWN_CODES.pzn} AS pzn,
    ${OWN_CODES.codes} AS codes`;
}

export function productColumns(view: ProductView): string {
  return `${shownColumns(view)},
    ${effective('description', view)} AS description,
    ${view === 'shop' ? 's.overrides' : 'NULL::jsonb AS overrides'}`;
}
