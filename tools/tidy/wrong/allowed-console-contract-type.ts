// as: apps/console/shell/right-type.ts
// bites: nothing
import type { Role } from '@offizin/contracts/roles';

export const first: Role = 'owner';
