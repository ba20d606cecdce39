// as: libs/operations/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/bus/any-file';
