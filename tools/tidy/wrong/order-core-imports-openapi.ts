// as: apps/order-core/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/openapi/any-file';
