// as: libs/contracts/wrong-example.ts
// bites: @typescript-eslint/ban-ts-comment
// @ts-ignore
export const number: number = 'text';
