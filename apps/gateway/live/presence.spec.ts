import { MAX_LIVE_PEOPLE } from '@offizin/contracts/console/live';
import { readSeen, Viewers, type Viewing, VIEWING_MS } from './presence';

const anna: Viewing = {
  orgId: 'o1',
  sessionId: 's1',
  staffId: 'anna',
  name: 'Anna',
  requestId: 'r1',
  since: '2026-01-01T10:00:00.000Z',
};
const berta = { orgId: 'o1', staffId: 'berta' };
const later = '2026-01-01T10:00:15.000Z';

describe('who has a request open', () => {
  it('is seen by colleagues, not by the person and not by another organization', () => {
    const viewers = new Viewers();
    expect(viewers.view(anna, 0)).toBe(true);
    const person = { staff_id: 'anna', name: 'Anna', request_id: 'r1', since: anna.since };
    expect(viewers.peopleFor(berta)).toEqual([person]);
    expect(viewers.peopleFor(anna)).toEqual([]);
    expect(viewers.peopleFor({ orgId: 'o2', staffId: 'berta' })).toEqual([]);
  });

  it('is not news when it is repeated, and keeps its time', () => {
    const viewers = new Viewers();
    viewers.view(anna, 0);
    expect(viewers.view({ ...anna, since: later }, 15_000)).toBe(false);
    expect(viewers.peopleFor(berta)).toMatchObject([{ since: anna.since }]);
    expect(viewers.view({ ...anna, requestId: 'r2', since: later }, 15_000)).toBe(true);
    expect(viewers.peopleFor(berta)).toMatchObject([{ request_id: 'r2', since: later }]);
    expect(viewers.view({ ...anna, requestId: 'r2', name: 'Anne' }, 15_000)).toBe(true);
  });

  it('goes when the page reports it, or when it is not repeated for 30 s', () => {
    const viewers = new Viewers();
    viewers.view(anna, 0);
    expect(viewers.leave('o1', 's2')).toBe(false);
    expect(viewers.leave('o2', 's1')).toBe(false);
    expect(viewers.leave('o1', 's1')).toBe(true);
    expect(viewers.peopleFor(berta)).toEqual([]);
    viewers.view(anna, 0);
    expect(viewers.expire(VIEWING_MS - 1)).toEqual([]);
    expect(viewers.expire(VIEWING_MS)).toEqual(['o1']);
    expect(viewers.peopleFor(berta)).toEqual([]);
    expect(viewers.expire(VIEWING_MS)).toEqual([]);
  });

  it('is one person per request, however many sessions', () => {
    const viewers = new Viewers();
    viewers.view({ ...anna, since: later }, 0);
    viewers.view({ ...anna, sessionId: 's2' }, 0);
    viewers.view({ ...anna, sessionId: 's3', requestId: 'r2' }, 0);
    expect(viewers.peopleFor(berta)).toMatchObject([
      { request_id: 'r1', since: anna.since },
      { request_id: 'r2' },
    ]);
    viewers.leave('o1', 's2');
    expect(viewers.peopleFor(berta)).toHaveLength(2);
  });

  it('is bounded', () => {
    const viewers = new Viewers();
    for (let index = 0; index < 1_000; index++)
      viewers.view({ ...anna, sessionId: `s${index}`, staffId: `p${index}` }, 0);
    expect(viewers.peopleFor(berta)).toHaveLength(MAX_LIVE_PEOPLE);
    expect(viewers.view({ ...anna, sessionId: 'one more' }, 0)).toBe(false);
    expect(viewers.view({ ...anna, sessionId: 's1', requestId: 'r2' }, 0)).toBe(true);
  });
});

const viewing = {
  orgId: 'o1',
  sessionId: 's1',
  staffId: 'p1',
  name: 'Anna',
  requestId: 'r1',
  since: '2026-01-01T10:00:00.000Z',
};
const bytes = (message: unknown) => Buffer.from(JSON.stringify(message));

describe('a message between gateways', () => {
  it('states what a session has open, or that it has closed it', () => {
    expect(readSeen(bytes(viewing))).toEqual(viewing);
    const closed = { orgId: 'o1', sessionId: 's1', requestId: null };
    expect(readSeen(bytes({ ...closed, more: 'text' }))).toEqual(closed);
  });

  it('is ignored when it is malformed', () => {
    const wrong: unknown[] = [
      null,
      7,
      [],
      {},
      { ...viewing, orgId: 7 },
      { ...viewing, sessionId: '' },
      { ...viewing, name: null },
      { ...viewing, name: 'x'.repeat(511) },
      { ...viewing, since: undefined },
      { ...viewing, requestId: {} },
      { ...viewing, more: 'x'.repeat(5_000) },
    ];
    for (const message of wrong) expect([message, readSeen(bytes(message))]).toEqual([message, null]);
    expect(readSeen(Buffer.from('{'))).toBeNull();
  });
});
