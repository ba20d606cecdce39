import { readSeen } from './presence';

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
  it('says what a session has open, or that it has closed it', () => {
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
