import { withQueuePlans } from './queue-plans';

describe('withQueuePlans', () => {
  it('adds the settings in the syntax of the server', () => {
    const url = new URL(withQueuePlans('postgres://worker:secret@db.example:5432/offizin'));
    expect(url.searchParams.get('options')).toMatch(/^-c enable_seqscan=off (-c \w+=\w+ ?)+$/);
    expect(url.host).toBe('db.example:5432');
  });

  it('keeps the other parameters of the URL', () => {
    const url = new URL(withQueuePlans('postgres://db.example/offizin?sslmode=require'));
    expect(url.searchParams.get('sslmode')).toBe('require');
    expect(url.searchParams.get('options')).toContain('enable_seqscan=off');
  });
});
