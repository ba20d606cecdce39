// as: libs/contracts/wrong-example.ts
// bites: unused-directive
// eslint-disable-next-line eqeqeq -- nothing to disable here
export const one = 1;
