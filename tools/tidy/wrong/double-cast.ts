// as: libs/contracts/wrong-example.ts
// bites: no-restricted-syntax
export const text = 1 as unknown as string;
