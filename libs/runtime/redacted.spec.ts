import { redacted } from './redacted';

const LINE = {
  method: 'GET',
  status: 200,
  org_id: undefined,
  error: { name: 'Error', message: 'm' },
  list: [1],
};

it('gives back the same fields where there is nothing to take out', () => {
  expect(redacted(LINE)).toBe(LINE);
});

it('takes out what may hold a secret, at the top and one level below, and leaves the given object as it was', () => {
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
