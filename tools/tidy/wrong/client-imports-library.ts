// as: clients/typescript/wrong-example.ts
// bites: @typescript-eslint/no-restricted-imports
import '@offizin/contracts/any-file';
