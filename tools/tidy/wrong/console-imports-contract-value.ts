// as: apps/console/shell/wrong-value.ts
// bites: @typescript-eslint/no-restricted-imports
import { ROLES } from '@offizin/contracts/roles';

export const first = ROLES[0];
