// as: libs/http-edge/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/egress/any-file';
