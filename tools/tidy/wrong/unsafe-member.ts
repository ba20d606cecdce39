// as: libs/contracts/wrong-example.ts
// bites: @typescript-eslint/no-unsafe-member-access
export const names = [String(JSON.parse('{}').name)];
