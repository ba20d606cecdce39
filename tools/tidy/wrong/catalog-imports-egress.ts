// as: apps/catalog/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/egress/any-file';
