// as: apps/gateway/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '../../libs/contracts/any-file';
