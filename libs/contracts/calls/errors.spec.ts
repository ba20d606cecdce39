import { errorAnswer, invalid, notFound, Refused, unanswered, Unreachable } from './errors';

it('answers a refusal with its code, message, details and headers', () => {
  const refused = new Refused('rate_limited', 'Too many.', [{ field: 'a', message: 'b' }], {
    'retry-after': '3',
  });
  expect(errorAnswer(refused)).toEqual({
    status: 429,
    body: { error: 'rate_limited', message: 'Too many.', details: [{ field: 'a', message: 'b' }] },
    headers: { 'retry-after': '3' },
  });
});

it('leaves details out where there are none', () => {
  expect(errorAnswer(notFound('order')).body).toEqual({
    error: 'not_found',
    message: 'There is no such order in this organization.',
  });
  expect(notFound('order', { shopId: 'a' }).message).toBe('There is no such order at this shop.');
});

it('speaks of effects only where a call can have one', () => {
  expect(unanswered('POST').message).toMatch(/Whether it took effect is unknown: repeat\.$/);
  for (const method of ['GET', 'HEAD'])
    expect(unanswered(method).message).toBe('The service did not answer in time. Try again in a moment.');
});

it('names the first problem in the message of a 400 and all of them in the details', () => {
  const problems = [
    { field: 'items[0].qty', message: 'must be at least 1' },
    { field: 'shop_id', message: 'must be a string' },
  ];
  expect(errorAnswer(invalid(problems))).toMatchObject({
    status: 400,
    body: {
      error: 'invalid_request',
      message: 'items[0].qty: must be at least 1',
      details: problems,
    },
  });
  expect(invalid([]).message).toBe('The request is not valid.');
});

it.each([
  ['core_unreachable', 502, { 'retry-after': '1' }],
  ['service_unavailable', 503, { 'retry-after': '1' }],
  ['timeout', 504, {}],
] as const)('answers %s with %d', (code, status, headers) => {
  expect(errorAnswer(new Unreachable(code, 'why'))).toEqual({
    status,
    body: { error: code, message: 'why' },
    headers,
  });
});

it.each([
  new Error('SELECT * FROM core.orders; password=hunter2'),
  'text',
  null,
  undefined,
  { code: '23505' },
])('keeps the reason of a failure of ours to itself: %p', (thrown) => {
  const { status, body, headers } = errorAnswer(thrown);
  expect(status).toBe(500);
  expect(Object.keys(body).sort()).toEqual(['error', 'message']);
  expect(JSON.stringify(body)).not.toMatch(/SELECT|hunter2|23505/);
  expect(headers).toEqual({});
});
