// as: apps/gateway/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '../order-core/any-file';
