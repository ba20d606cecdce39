// as: apps/reference/search/wrong-library.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/bus/any-file';
