// as: libs/runtime/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/testkit/any-file';
