/** The catalog's own schema; its role owns it and sees no other. */
export const SCHEMA = 'catalog';
