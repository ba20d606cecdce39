// as: libs/runtime/wrong-example.spec.ts
// bites: no-restricted-syntax
it.only('runs alone', () => expect(1).toBe(1));
