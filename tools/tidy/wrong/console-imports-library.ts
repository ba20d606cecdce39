// as: apps/console/shell/wrong-library.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/bus/any-file';
