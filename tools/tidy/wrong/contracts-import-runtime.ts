// as: libs/contracts/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/runtime/any-file';
