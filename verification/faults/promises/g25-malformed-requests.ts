import {
  MALFORMED_REQUESTS,
  type MalformedRequest,
  type MalformedTarget,
} from '@offizin/testkit/malformed-requests';
import { type ParsedAnswer, parseAnswers, untilEnd } from '@offizin/testkit/raw-answers';
import { type Guarantee, some, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

/** A head must be complete in 10 s; a server checks every two. */
const ENDED_MS_AT_MOST = 15_000;

type NamedTarget = MalformedTarget & { name: string; url: string };

export const malformedRequests: Guarantee = {
  id: 'G25',
  promise: 'Every byte that an edge answers is the contract’s',
  isShort: true,
  run: async (bench) => {
    const trial = await bench.open();
    const verdicts = await Promise.all(
      targetsOf(trial).map(async (target) => [
        await judge(target, '', 'one after the other'),
        await judge(target, good(target).repeat(3), 'each behind three good requests on its connection'),
        await judgeSlowHead(target),
      ]),
    );
    return verdicts.flat();
  },
};

function targetsOf({ organization }: Trial): NamedTarget[] {
  const { orgId, token, urls, shops, integrationKey } = organization;
  return [
    {
      name: 'gateway',
      url: urls.baseUrl,
      path: `/api/v2/public/orgs/${orgId}/orders`,
      headers: ['Host: localhost', `Authorization: Bearer ${token}`],
    },
    {
      name: 'connector-edge',
      url: urls.connectorUrl,
      path: '/api/v1/external-order',
      headers: [`Host: ${shops[0].domain}`, `apikey: ${integrationKey.text}`],
    },
  ];
}

const good = ({ headers }: MalformedTarget): string =>
  `${['GET /nothing HTTP/1.1', ...headers].join('\r\n')}\r\n\r\n`;

async function judge(target: NamedTarget, before: string, how: string): Promise<Verdict> {
  const wrong: string[] = [];
  let slowestMs = 0;
  for (const malformed of MALFORMED_REQUESTS) {
    const startedAt = performance.now();
    const problem = await problemOf(target, malformed, before).catch(String);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if (problem !== null) wrong.push(`${malformed.name}: ${problem}`);
  }
  return verdict(wrong.length === 0 && slowestMs <= ENDED_MS_AT_MOST, {
    fault: `malformed requests, ${how}: ${target.name}`,
    trials: `${MALFORMED_REQUESTS.length} kinds`,
    figure: `${some(wrong)} not answered by the contract, all ended after ${seconds(slowestMs)} at most`,
    bar: 'one answer with the contract’s body and a request id, then the end',
  });
}

/** Null for one answer of the contract, after the answers of the valid requests. */
async function problemOf(
  target: NamedTarget,
  { bytes, expected }: MalformedRequest,
  before: string,
): Promise<string | null> {
  const answers = parseAnswers(await untilEnd(target.url, before + bytes(target)));
  const codes = answers.map(codeOf);
  const last = codes.pop();
  const isRight = last === expected && codes.every((code) => code === '404 not_found');
  const count = before === '' ? 1 : 4;
  return isRight && answers.length === count ? null : [...codes, last].join(' and ');
}

function codeOf({ status, headers, body }: ParsedAnswer): string {
  if (!headers['x-request-id']) return `${status} without a request id`;
  try {
    const { error, message } = JSON.parse(body) as Record<string, unknown>;
    if (typeof message !== 'string') return `${status} without a message`;
    return `${status} ${String(error)}`;
  } catch {
    return `${status} without JSON`;
  }
}

async function judgeSlowHead(target: NamedTarget): Promise<Verdict> {
  const startedAt = performance.now();
  const received = await untilEnd(target.url, 'GET /nothing HTTP/1.1\r\nHost: a\r\n').catch(String);
  const durationMs = performance.now() - startedAt;
  let codes: string[] = [];
  try {
    codes = parseAnswers(received).map(codeOf);
  } catch {
    codes = ['no answer'];
  }
  return verdict(codes.join() === '400 invalid_request' && durationMs <= ENDED_MS_AT_MOST, {
    fault: `a head that never ends: ${target.name}`,
    trials: '1 connection',
    figure: `${codes.join(' and ')} after ${seconds(durationMs)}`,
    bar: `400 invalid_request ≤ ${seconds(ENDED_MS_AT_MOST)}`,
  });
}
