// as: libs/contracts/wrong-example.ts
// bites: @typescript-eslint/no-non-null-assertion
export const first = (list: string[]): string => list[0]!;
