import { redacted } from './log';

const LINE = {
  method: 'GET',
  status: 200,
  org_id: undefined,
  error: { name: 'Error', message: 'm' },
  list: [1],
};

it('returns the same object when nothing needs redaction', () => {
  expect(redacted(LINE)).toBe(LINE);
});

it('redacts possible secrets at the top and one level below, without changing the input', () => {
  const headers = { authorization: 'Bearer a', 'x-api-key': 'b', cookie: 'c', accept: '*/*' };
  const given = { ...LINE, apikey: 'd', headers };
  expect(redacted(given)).toEqual({
    ...LINE,
    apikey: '[Redacted]',
    headers: {
      authorization: '[Redacted]',
      'x-api-key': '[Redacted]',
      cookie: '[Redacted]',
      accept: '*/*',
    },
  });
  expect(given).toEqual({ ...LINE, apikey: 'd', headers });
  expect(headers.authorization).toBe('Bearer a');
});
