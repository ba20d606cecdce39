// bites: import-x/no-cycle
import { second } from './cycle-second';

export const first = (): unknown => second;
