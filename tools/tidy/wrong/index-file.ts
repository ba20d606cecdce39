// as: libs/contracts/index.ts
// bites: no-restricted-syntax
export const one = 1;
