import { Refused } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import { acceptedType } from '@offizin/runtime/accepted-type';

/** Headers that almost all callers send; they exclude nothing. */
const ACCEPT_ALL = new Set([undefined, '', '*/*', 'application/json', 'application/json, text/plain, */*']);

/**
 * The check of the header Accept for one operation. Every operation offers JSON, since its errors are JSON. The
 * check throws `Refused` (not_acceptable) for a caller that excludes all offered types.
 */
export function acceptCheck(op: Operation): (accept: string | undefined) => void {
  const offered = ['application/json'];
  if (op.alsoCsv) offered.push('text/csv');
  if (typeof op.reply === 'string') offered.push(op.reply);
  const message = `This operation answers ${offered.join(' or ')}: accept ${offered.length > 1 ? 'one of them' : 'it'}.`;
  return (accept) => {
    if (ACCEPT_ALL.has(accept) || acceptedType(accept, offered) !== null) return;
    throw new Refused('not_acceptable', message);
  };
}
