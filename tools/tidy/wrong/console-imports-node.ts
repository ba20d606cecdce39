// as: apps/console/shell/wrong-node.ts
// bites: @typescript-eslint/no-restricted-imports
import 'node:fs';
