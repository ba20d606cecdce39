// as: libs/local-stack/wrong-example.ts
// bites: @nx/enforce-module-boundaries
import '@offizin/pg/any-file';
