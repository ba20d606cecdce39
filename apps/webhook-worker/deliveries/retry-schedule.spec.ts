import { type Attempt, MAX_ATTEMPTS, RETRY_WAITS_MS, afterAttempt } from './retry-schedule';

const NOW_MS = Date.parse('2026-03-02T10:00:00.000Z');
const HOUR_MS = 3_600_000;

function decide(changes: Partial<Attempt>): ReturnType<typeof afterAttempt> {
  return afterAttempt({
    attemptNumber: 1,
    outcome: 'no_answer',
    nowMs: NOW_MS,
    random: () => 0.5,
    ...changes,
  });
}

/** The wait in milliseconds that a busy receiver's header leads to after the first attempt. */
function waitAfter(status: number, retryAfter: string): number {
  const decision = decide({ outcome: { status, retryAfter } });
  if (decision.kind !== 'retry') throw new Error(`expected a retry, got ${decision.kind}`);
  return decision.atMs - NOW_MS;
}

describe('afterAttempt', () => {
  it.each([200, 201, 202, 204, 299])('counts %i as success', (status) => {
    expect(decide({ outcome: { status } })).toEqual({ kind: 'succeeded' });
  });

  it('counts a success on the last attempt, and on one made by hand after it', () => {
    expect(decide({ outcome: { status: 200 }, attemptNumber: MAX_ATTEMPTS })).toEqual({ kind: 'succeeded' });
    expect(decide({ outcome: { status: 200 }, attemptNumber: 30 })).toEqual({ kind: 'succeeded' });
  });

  it('ends the subscription on 410, whichever attempt it was', () => {
    expect(decide({ outcome: { status: 410 } })).toEqual({ kind: 'gone' });
    expect(decide({ outcome: { status: 410 }, attemptNumber: MAX_ATTEMPTS })).toEqual({ kind: 'gone' });
  });

  it.each([301, 307, 400, 401, 404, 408, 429, 500, 503])('tries again after %i', (status) => {
    expect(decide({ outcome: { status } })).toEqual({ kind: 'retry', atMs: NOW_MS + 5_000 });
  });

  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, then gives up', () => {
    const waits = RETRY_WAITS_MS.map((_wait, index) => {
      const decision = decide({ attemptNumber: index + 1 });
      return decision.kind === 'retry' ? (decision.atMs - NOW_MS) / 1_000 : decision.kind;
    });
    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(MAX_ATTEMPTS).toBe(10);
    expect(decide({ attemptNumber: MAX_ATTEMPTS })).toEqual({ kind: 'failed' });
    expect(decide({ attemptNumber: MAX_ATTEMPTS + 1 })).toEqual({ kind: 'failed' });
  });

  it('spreads each wait by a tenth in both directions and no further', () => {
    expect(decide({ random: () => 0 })).toEqual({ kind: 'retry', atMs: NOW_MS + 4_500 });
    expect(decide({ random: () => 0.999_999 })).toEqual({ kind: 'retry', atMs: NOW_MS + 5_500 });
  });
});

describe('Retry-After', () => {
  it.each([429, 503])('in seconds is honoured on %i', (status) => {
    expect(waitAfter(status, '120')).toBe(120_000);
    expect(waitAfter(status, ' 120 ')).toBe(120_000);
  });

  it.each([
    'Mon, 02 Mar 2026 11:00:00 GMT', // the form in use
    'Monday, 02-Mar-26 11:00:00 GMT', // RFC 850
    'Mon Mar  2 11:00:00 2026', // asctime, which has no zone and means GMT
  ])('as the date %j is honoured', (date) => {
    expect(waitAfter(503, date)).toBe(HOUR_MS);
  });

  it('never shortens the wait of the schedule', () => {
    expect(waitAfter(429, '0')).toBe(5_000);
    expect(waitAfter(429, '1')).toBe(5_000);
    expect(waitAfter(503, 'Mon, 02 Mar 2026 09:00:00 GMT')).toBe(5_000);
  });

  it('is followed for at most 24 hours', () => {
    expect(waitAfter(429, '86400')).toBe(24 * HOUR_MS);
    expect(waitAfter(429, '86401')).toBe(24 * HOUR_MS);
    expect(waitAfter(429, '9'.repeat(400))).toBe(24 * HOUR_MS);
    expect(waitAfter(503, 'Fri, 31 Dec 9999 23:59:59 GMT')).toBe(24 * HOUR_MS);
  });

  it.each([200, 301, 400, 404, 500, 502])('is not looked at on %i', (status) => {
    const decision = decide({ outcome: { status, retryAfter: '3600' } });
    expect(decision.kind === 'retry' ? decision.atMs - NOW_MS : 5_000).toBe(5_000);
  });

  it.each([
    '',
    'soon',
    '-5',
    '1.5',
    '1e3',
    '0x10',
    'tomorrow 3',
    '2027-01-01',
    'Mon, 99 Foo 2026 11:00:00 GMT',
    '5 minutes',
  ])('%j cannot be read and changes nothing', (text) => {
    expect(waitAfter(503, text)).toBe(5_000);
  });

  it('does not add an attempt after the last one', () => {
    expect(decide({ attemptNumber: MAX_ATTEMPTS, outcome: { status: 429, retryAfter: '5' } })).toEqual({
      kind: 'failed',
    });
  });
});
