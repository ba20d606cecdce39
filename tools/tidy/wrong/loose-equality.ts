// as: libs/contracts/wrong-example.ts
// bites: eqeqeq
export const same = (a: string, b: string): boolean => a == b;
