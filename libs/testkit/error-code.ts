import type { ErrorBody } from '@offizin/contracts/errors';
import { type HttpAnswer, json } from './http';

/** Status and code of a refusal, such as `404 not_found`; the status alone of any other answer. */
export function codeOf(answer: HttpAnswer): string {
  return answer.status < 400 ? String(answer.status) : `${answer.status} ${json<ErrorBody>(answer).error}`;
}
