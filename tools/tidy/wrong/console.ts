// as: libs/runtime/wrong-example.ts
// bites: no-console
console.log('ready');
