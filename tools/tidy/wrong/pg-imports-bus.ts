// as: libs/pg/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/bus/any-file';
