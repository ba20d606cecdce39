import { ApiError } from './api';
import { isStoredRefusal, renewKey } from './send-key';

const refused = (status: number, code = 'any') => new ApiError(status, code, '', null);

it.each([400, 404, 409, 412, 422])('takes %s for an answer that its key repeats', (status) => {
  expect(isStoredRefusal(refused(status))).toBe(true);
});

it.each([0, 401, 403, 429, 500, 503])('takes %s for no answer to what was sent: the key stays', (status) => {
  expect(isStoredRefusal(refused(status))).toBe(false);
});

it('keeps the key while its first request still runs, and when something else failed', () => {
  expect(isStoredRefusal(refused(409, 'idempotency_in_progress'))).toBe(false);
  expect(isStoredRefusal(new Error('not of the server'))).toBe(false);
});

it('gives a refused draft another key and leaves what was typed', () => {
  const change = jest.fn();
  const draft = { value: { text: 'typed', key: 'first' }, change, isKept: true, discard: jest.fn() };
  renewKey(draft, refused(503));
  expect(change).not.toHaveBeenCalled();
  renewKey(draft, refused(409));
  expect(change).toHaveBeenCalledWith({ text: 'typed', key: expect.not.stringMatching('first') as string });
});
