// as: apps/reference/search/wrong-description.ts
// bites: @typescript-eslint/no-restricted-imports
import '@offizin/openapi/document';
