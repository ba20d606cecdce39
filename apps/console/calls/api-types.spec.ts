import type { call, callDocument } from './api';

/** The compiler is the test: a wrong line that compiles is itself an error. Nothing here is sent. */
declare const send: typeof call;
declare const read: typeof callDocument;
const path = { requestId: 'r' };
const REVIEW = '/api/v2/public/orgs/{orgId}/review/requests/{requestId}';

const wrong = {
  path: () =>
    // @ts-expect-error no such path
    send('GET', '/api/nothing'),
  method: () =>
    // @ts-expect-error the path has other methods
    send('PATCH', '/api/session'),
  missingParameter: () =>
    // @ts-expect-error requestId is missing
    send('GET', REVIEW, { path: {} }),
  missingInput: () =>
    // @ts-expect-error the parameters are missing
    send('GET', REVIEW),
  query: () =>
    // @ts-expect-error no such tab
    send('GET', '/api/v2/public/orgs/{orgId}/review/requests', { query: { tab: 'closed' } }),
  unknownQuery: () =>
    // @ts-expect-error no such query parameter
    send('GET', '/api/v2/public/orgs/{orgId}/review/requests', { query: { page: 2 } }),
  body: () =>
    // @ts-expect-error the version is a number
    send('PUT', `${REVIEW}/marks`, { path, body: { version: '1' } }),
  unknownField: () =>
    // @ts-expect-error no such field
    send('PUT', `${REVIEW}/marks`, { path, body: { seen: true } }),
  missingBody: () =>
    // @ts-expect-error the body is missing
    send('POST', '/api/sign-in'),
  reply: (): Promise<{ scopes: number }> =>
    // @ts-expect-error the scopes of a session are texts
    send('GET', '/api/session'),
  document: () =>
    // @ts-expect-error the answer is JSON
    read('/api/session'),
};

it('is refused by the compiler: a wrong path, method, parameter, body or use of an answer', () => {
  expect(Object.keys(wrong)).toHaveLength(11);
});
