// as: apps/gateway/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/service/any-file';
