// as: libs/runtime/wrong-example.spec.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/bus/any-file';
