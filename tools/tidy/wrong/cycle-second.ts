// bites: import-x/no-cycle
import { first } from './cycle-first';

export const second = (): unknown => first;
