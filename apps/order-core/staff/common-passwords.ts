import { invalid } from '@offizin/contracts/errors';
import { COMMON_PASSWORDS } from './common-password-list';

const COMMON = new Set(COMMON_PASSWORDS);

/** Throws `Refused` (invalid_request) for a password that is guessed first, in any spelling of case. */
export function requireUncommon(field: string, password: string): void {
  if (!COMMON.has(password.toLowerCase())) return;
  throw invalid([{ field, message: 'is one of the commonest passwords: choose another' }]);
}
