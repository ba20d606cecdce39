import { ERROR_CODES, type ErrorCode, ERRORS } from '@offizin/contracts/calls/error-table';
import { OAUTH_REFUSALS } from '@offizin/contracts/people/tokens';
import { de } from '../text/de';
import { en } from '../text/en';
import { refusalSentence } from './refusal';

/** The console exchanges no token and answers no offer. */
const isOfOthers = (code: ErrorCode): boolean =>
  code === 'offer_expired' || OAUTH_REFUSALS.some((refusal) => refusal === code);
const REFUSALS = ERROR_CODES.filter((code) => ERRORS[code].status < 500 && !isOfOthers(code));

it.each([
  ['German', de],
  ['English', en],
])('has a sentence in %s for every code that refuses', (_, texts) => {
  const unknown = REFUSALS.filter(
    (code) =>
      code !== 'rate_limited' && refusalSentence({ code, details: [] }, texts) === texts.fault.unknown,
  );
  expect(unknown).toEqual([]);
});

it('counts the lines that are short as people do, and names the fields that are wrong', () => {
  const short = [{ field: 'items[0]' }, { field: 'items[2]' }];
  expect(refusalSentence({ code: 'out_of_stock', details: short }, de)).toContain('Position 1, 3');
  const wrong = [{ field: 'customer_email' }];
  expect(refusalSentence({ code: 'invalid_request', details: wrong }, en)).toContain('customer_email');
});

it('has one sentence for every unknown code: something unexpected happened', () => {
  expect(refusalSentence({ code: 'newer_than_this_page', details: [] }, de)).toBe(de.fault.unknown);
});
