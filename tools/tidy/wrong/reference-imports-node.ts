// as: apps/reference/search/wrong-node.ts
// bites: @typescript-eslint/no-restricted-imports
import 'node:fs';
