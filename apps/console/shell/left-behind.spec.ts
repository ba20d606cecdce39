import { isTaken, keepLeft, type LeftBehind, type Notes, screensOfLeft, takeLeft } from './left-behind';

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
