// as: libs/contracts/wrong-example.ts
// bites: @typescript-eslint/no-explicit-any
export const read = (value: any): string => typeof value;
