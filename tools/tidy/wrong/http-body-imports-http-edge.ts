// as: libs/http-body/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/http-edge/any-file';
