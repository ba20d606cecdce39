// as: libs/runtime/wrong-example.spec.ts
// bites: nothing
jest.spyOn(Date, 'now').mockReturnValue(0);
