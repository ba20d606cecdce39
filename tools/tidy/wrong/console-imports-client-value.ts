// as: apps/console/shell/wrong-client.ts
// bites: @typescript-eslint/no-restricted-imports
import '../../../clients/typescript/src/client';
