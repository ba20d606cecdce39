import { stateOfSession } from './session-state';

describe('the session of a stream', () => {
  const watched = { role: 'clerk' as const, openedAtMs: 1_000, wasKnown: true };
  const fresh = { ...watched, wasKnown: false };

  it('lives while the directory has its record', () => {
    expect(stateOfSession(watched, { role: 'clerk' }, 1_000_000)).toBe('live');
    expect(stateOfSession(fresh, { role: 'clerk' }, 1_000_000)).toBe('live');
  });

  it('has ended when its record is gone', () => {
    expect(stateOfSession(watched, null, 1_001)).toBe('ended');
  });

  it('has changed when the role is another', () => {
    expect(stateOfSession(watched, { role: 'owner' }, 1_001)).toBe('changed');
  });

  it('is given time to arrive in the directory, and never said to have ended before', () => {
    expect(stateOfSession(fresh, null, 2_999)).toBe('live');
    expect(stateOfSession(fresh, null, 3_000)).toBe('unknown');
  });
});
