// as: libs/bus/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/events/any-file';
