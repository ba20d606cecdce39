import type { MIN_PASSWORD_LENGTH as contract } from '@offizin/contracts/sessions';

/** The contract's number: another one does not compile. Its module cannot be loaded here, only its types. */
export const MIN_PASSWORD_LENGTH: typeof contract = 12;
