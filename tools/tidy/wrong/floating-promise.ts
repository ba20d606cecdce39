// as: libs/contracts/wrong-example.ts
// bites: @typescript-eslint/no-floating-promises
Promise.resolve(1);
