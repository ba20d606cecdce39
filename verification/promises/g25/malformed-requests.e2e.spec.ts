import { type Edge, EDGES, headerLines, targetAt } from '@offizin/testkit/edge-target';
import { testEnvironment } from '@offizin/testkit/environment';
import { http } from '@offizin/testkit/http';
import { MALFORMED_REQUESTS, type MalformedTarget } from '@offizin/testkit/malformed-requests';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { parseAnswers, type ParsedAnswer, untilEnd } from '@offizin/testkit/raw-http';

/** G25, below the framework: a malformed request gets one answer of the contract, then its connection ends. */
const { managementUrls } = testEnvironment();
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

function targetOf(edge: Edge): MalformedTarget & { url: string } {
  const target = targetAt(edge, organization);
  return { ...target, headers: headerLines(target.headers) };
}

/** Status and code, after a check of the shape of refusals. */
function codeOf({ status, headers, body }: ParsedAnswer): string {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const error = JSON.parse(body) as Record<string, unknown>;
  expect(error).toEqual({ error: expect.any(String), message: expect.stringMatching(/^\w.*\.$/) });
  return `${status} ${String(error['error'])}`;
}

async function unroutedAnswers(edge: Edge): Promise<number> {
  const text = (await http(`${managementUrls[edge]}/metrics`)).body.toString();
  const counts = text.matchAll(
    /^offizin_http_request_duration_seconds_count\{.*operation="none".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe.each(EDGES)('the %s', (edge) => {
  it.each(MALFORMED_REQUESTS)('answers $name once, with $expected, and ends', async ({ bytes, expected }) => {
    const target = targetOf(edge);
    const answers = parseAnswers(await untilEnd(target.url, bytes(target)));
    expect(answers.map(codeOf)).toEqual([expected]);
    expect(answers[0]?.headers['connection']).toBe('close');
  });

  it('answers what came before a malformed request first, each once', async () => {
    const target = targetOf(edge);
    const good = ['GET /nothing HTTP/1.1', ...target.headers].join('\r\n') + '\r\n\r\n';
    const results = await Promise.all(
      MALFORMED_REQUESTS.map(async ({ name, bytes, expected }) => {
        const answers = parseAnswers(await untilEnd(target.url, good.repeat(7) + bytes(target)));
        return { name, codes: answers.map(codeOf), expected };
      }),
    );
    const sevenTimes = Array<string>(7).fill('404 not_found');
    for (const { name, codes, expected } of results)
      expect({ name, codes }).toEqual({ name, codes: [...sevenTimes, expected] });
  });

  it('serves nothing behind a malformed request', async () => {
    const target = targetOf(edge);
    const good = ['GET /nothing HTTP/1.1', ...target.headers].join('\r\n') + '\r\n\r\n';
    for (const { bytes, expected } of MALFORMED_REQUESTS) {
      const answers = parseAnswers(await untilEnd(target.url, bytes(target) + good.repeat(3)));
      expect(answers.map(codeOf)).toEqual([expected]);
    }
  });

  it('counts each of them once', async () => {
    const target = targetOf(edge);
    const before = await unroutedAnswers(edge);
    const own = MALFORMED_REQUESTS.filter(({ name }) => name.includes('Host') || name === 'CONNECT');
    for (const { bytes } of own) await untilEnd(target.url, bytes(target));
    // Other tests send requests that no route has at the same time.
    expect((await unroutedAnswers(edge)) - before).toBeGreaterThanOrEqual(own.length);
  });

  it('takes an id of the caller from a request whose head could be read', async () => {
    const target = targetOf(edge);
    const head = ['GET /nothing HTTP/1.1', ...target.headers, 'Host: b', 'X-Request-Id: mine-1'].join('\r\n');
    const [answer] = parseAnswers(await untilEnd(target.url, `${head}\r\n\r\n`));
    expect(answer?.headers['x-request-id']).toBe('mine-1');
  });

  it.each(['websocket', 'h2c'])(
    'serves a request that wishes for %s as HTTP/1.1, and ends',
    async (protocol) => {
      const target = targetOf(edge);
      const upgrade = [`Upgrade: ${protocol}`, 'Connection: Upgrade'];
      const first = ['GET /nothing HTTP/1.1', ...target.headers, ...upgrade].join('\r\n');
      const second = ['GET /nothing HTTP/1.1', ...target.headers, 'Connection: close'].join('\r\n');
      const answers = parseAnswers(await untilEnd(target.url, `${first}\r\n\r\n${second}\r\n\r\n`));
      expect(answers.map(codeOf)).toEqual(['404 not_found']);
      expect(answers[0]?.headers['connection']).toBe('close');
    },
  );
});

it('a head that never ends is answered once on both edges, and its connection ends', async () => {
  const codes = await Promise.all(
    EDGES.map(async (edge) =>
      parseAnswers(await untilEnd(targetOf(edge).url, 'GET /nothing HTTP/1.1\r\nHost: a\r\n')).map(codeOf),
    ),
  );
  expect(codes).toEqual([['400 invalid_request'], ['400 invalid_request']]);
});
