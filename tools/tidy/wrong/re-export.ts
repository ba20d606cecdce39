// as: libs/contracts/wrong-example.ts
// bites: no-restricted-syntax
export { parseMoney } from './money';
