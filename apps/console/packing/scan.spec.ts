import { hear, type Heard, heardWithoutEnter, type Hearing, SCAN_PAUSE_MS } from './scan';

const ENTER = 'Enter';

/** The last thing heard of these presses, each `pauseMs` after the one before. */
function heard(keys: readonly string[], pauseMs = 5, isPlain = true): Heard {
  let hearing: Hearing | null = null;
  let last: Heard = { kind: 'typed' };
  keys.forEach((key, index) => {
    last = hear(hearing, { key, atMs: index * pauseMs, isPlain });
    hearing = last.kind === 'waiting' ? last.hearing : null;
  });
  return last;
}

const scanned = (text: string) => heard([...text, ENTER]);

it('takes fast characters that end with Enter for a scan', () => {
  expect(scanned('PZN-04114918')).toEqual({ kind: 'scan', code: 'PZN-04114918' });
  expect(heard([...'4006381333931', ENTER], SCAN_PAUSE_MS)).toMatchObject({ kind: 'scan' });
});

it('takes slower presses for a person, Enter included', () => {
  expect(heard([...'04114918', ENTER], SCAN_PAUSE_MS + 1)).toEqual({ kind: 'typed' });
  expect(heard(['g', 'o', ENTER])).toEqual({ kind: 'typed' });
  expect(heard([ENTER])).toEqual({ kind: 'typed' });
});

it('leaves Space to the button that has the focus, but not within a code', () => {
  expect(heard([' '])).toEqual({ kind: 'typed' });
  expect(heard(['a', ' '], SCAN_PAUSE_MS + 1)).toEqual({ kind: 'typed' });
  expect(scanned('Tee 20 g')).toEqual({ kind: 'scan', code: 'Tee 20 g' });
});

it('leaves presses with Ctrl, Alt or Meta, and compositions, to others', () => {
  expect(heard(['k'], 5, false)).toEqual({ kind: 'typed' });
  expect(heard([...'04114918', ENTER], 5, false)).toEqual({ kind: 'typed' });
});

it('reads umlauts in one form, composed or not, and trims spaces', () => {
  expect(scanned(' Tee-Größe Ü '.normalize('NFD'))).toEqual({ kind: 'scan', code: 'Tee-Größe Ü' });
});

it.each([
  ['a control character', [...'0411', '\u001d', ...'4918', ENTER]],
  ['a named key', [...'0411', 'Tab', ...'4918', ENTER]],
  ['more characters than a product id has', [...'1'.repeat(256), ENTER]],
])('shows garbage as such: %s', (_, keys) => {
  expect(heard(keys)).toEqual({ kind: 'garbage' });
});

it('stays small in memory, however much a broken scanner sends', () => {
  const last = heard([...'1'.repeat(10_000)]);
  expect(last.kind === 'waiting' && last.hearing.text.length).toBe(255);
});

it('shows a scan without Enter as garbage, and gives two keys back to the person', () => {
  const after = (text: string) => {
    const last = heard([...text]);
    if (last.kind !== 'waiting') throw new Error('nothing waits');
    return heardWithoutEnter(last.hearing);
  };
  expect(after('04114918')).toEqual({ kind: 'garbage' });
  expect(after('go')).toEqual({ kind: 'typed' });
});
