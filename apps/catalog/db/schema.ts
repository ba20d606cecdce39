/** Owned by the catalog's database role, which has access to no other schema. */
export const SCHEMA = 'catalog';
