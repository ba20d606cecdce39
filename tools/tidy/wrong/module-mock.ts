// as: libs/runtime/wrong-example.spec.ts
// bites: no-restricted-syntax
jest.mock('node:fs');
