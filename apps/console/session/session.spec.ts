import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../calls/api';
import { isTaken, keepLeft, type LeftBehind, type Notes, screensOfLeft, takeLeft } from './left-behind';
import { isStoredRefusal, renewKey } from './send-key';
import { keepDraft } from './use-draft';

describe('decisions that a page left behind', () => {
  function notes(): Notes & { text: string | null } {
    const kept: Notes & { text: string | null } = {
      text: null,
      getItem: () => kept.text,
      setItem: (_, text) => {
        kept.text = text;
      },
      removeItem: () => {
        kept.text = null;
      },
    };
    return kept;
  }

  const left = (id: string, more: Partial<LeftBehind> = {}): LeftBehind => ({
    staffId: 'anna',
    screen: 'requests',
    id,
    becomes: { status: 'approved' },
    ...more,
  });

  it('gives each note once, to its screen', () => {
    const kept = notes();
    keepLeft(kept, [left('a'), left('b', { screen: 'orders' })]);
    keepLeft(kept, [left('c')]);
    expect(takeLeft(kept, 'anna', 'requests').map(({ id }) => id)).toEqual(['a', 'c']);
    expect(takeLeft(kept, 'anna', 'requests')).toEqual([]);
    expect(takeLeft(kept, 'anna', 'orders').map(({ id }) => id)).toEqual(['b']);
    expect(kept.text).toBeNull();
  });

  it('names the screens that have not told their notes', () => {
    const kept = notes();
    keepLeft(kept, [left('a'), left('b', { screen: 'orders' }), left('c'), left('d', { staffId: 'bodo' })]);
    expect(screensOfLeft(kept, 'anna')).toEqual(['requests', 'orders']);
    takeLeft(kept, 'anna', 'requests');
    expect(screensOfLeft(kept, 'anna')).toEqual(['orders']);
    expect(screensOfLeft(kept, 'carla')).toEqual([]);
  });

  it('gives nothing of one person to another, and drops it', () => {
    const kept = notes();
    keepLeft(kept, [left('a')]);
    expect(takeLeft(kept, 'bodo', 'requests')).toEqual([]);
    expect(takeLeft(kept, 'anna', 'requests')).toEqual([]);
  });

  it.each(['no JSON', 'null', '{}', '[null]', '[{"staffId":"anna"}]'])('reads %s as nothing', (text) => {
    expect(takeLeft({ ...notes(), getItem: () => text }, 'anna', 'requests')).toEqual([]);
  });

  it('was taken when the object has every field of it', () => {
    expect(isTaken(left('a'), { status: 'approved', total: 3 })).toBe(true);
    expect(isTaken(left('a'), { status: 'pending' })).toBe(false);
    expect(isTaken(left('a'), {})).toBe(false);
  });
});

describe('a draft', () => {
  it('is shown as it is kept, with the key that was made once', () => {
    const client = new QueryClient();
    let keys = 0;
    const counted = () =>
      keepDraft<{ pieces: number; key: number }>(client, 'P1', 'add', (now) => ({
        pieces: (now?.pieces ?? 0) + 1,
        key: ++keys,
      }));
    expect([counted(), counted()]).toEqual([
      { pieces: 1, key: 1 },
      { pieces: 2, key: 2 },
    ]);
    expect(client.getQueryData(['drafts', 'P1', 'add'])).toEqual({ pieces: 2, key: 2 });
  });
});

describe('the key of a change', () => {
  const refused = (status: number, code = 'any') => new ApiError(status, code, '', null);

  it.each([400, 404, 409, 412, 422])('takes %s for an answer that its key repeats', (status) => {
    expect(isStoredRefusal(refused(status))).toBe(true);
  });

  it.each([0, 401, 403, 429, 500, 503])(
    'takes %s for no answer to what was sent: the key stays',
    (status) => {
      expect(isStoredRefusal(refused(status))).toBe(false);
    },
  );

  it('keeps the key while its first request still runs, and when something else failed', () => {
    expect(isStoredRefusal(refused(409, 'idempotency_in_progress'))).toBe(false);
    expect(isStoredRefusal(new Error('not of the server'))).toBe(false);
  });

  it('gives a refused draft another key and leaves what was typed', () => {
    const change = jest.fn();
    const draft = { value: { text: 'typed', key: 'first' }, change, isKept: true, discard: jest.fn() };
    renewKey(draft, refused(503));
    expect(change).not.toHaveBeenCalled();
    renewKey(draft, refused(409));
    expect(change).toHaveBeenCalledWith({ text: 'typed', key: expect.not.stringMatching('first') as string });
  });
});
