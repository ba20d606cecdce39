// as: apps/webhook-worker/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/http-edge/any-file';
