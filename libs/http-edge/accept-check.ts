import { Refused } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import { acceptedType } from '@offizin/runtime/accepted-type';

const ACCEPT_ALL = new Set([undefined, '', '*/*', 'application/json', 'application/json, text/plain, */*']);

/** Every operation offers JSON, since its errors are JSON. The check throws `Refused` (not_acceptable). */
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
