import {
  controlOfNumber,
  Pace,
  pictured,
  type ScanKey,
  scanKeyOf,
  type ScanPress,
  unpictured,
} from './scan-keys';

const press = (key: string, given: Partial<ScanPress> = {}): ScanPress => ({
  key,
  code: '',
  shiftKey: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  altGraph: false,
  ...given,
});
const CTRL = { ctrlKey: true };
const separator: ScanKey = { kind: 'control', text: '\x1d' };

describe('a key of a scanner', () => {
  it.each<[what: string, given: ScanPress, key: ScanKey]>([
    ['a letter', press('a', { code: 'KeyA' }), { kind: 'character' }],
    ['a capital letter', press('A', { shiftKey: true }), { kind: 'character' }],
    [
      'a bracket of AltGr',
      press(']', { ctrlKey: true, altKey: true, altGraph: true }),
      { kind: 'character' },
    ],
    ['Ctrl ]', press(']', { ...CTRL, code: 'BracketRight' }), separator],
    ['Ctrl ] at a German device', press('+', { ...CTRL, code: 'BracketRight' }), separator],
    ['F8', press('F8'), separator],
    ['Ctrl ^', press('^', { ...CTRL, shiftKey: true, code: 'Digit6' }), { kind: 'control', text: '\x1e' }],
    ['Ctrl 6', press('6', { ...CTRL, code: 'Digit6' }), { kind: 'control', text: '\x1e' }],
    ['Ctrl D', press('d', { ...CTRL, code: 'KeyD' }), { kind: 'control', text: '\x04' }],
    ['Ctrl D with Shift lock', press('D', { ...CTRL, code: 'KeyD' }), { kind: 'control', text: '\x04' }],
    [
      'Alt and a digit of the number block',
      press('2', { altKey: true, code: 'Numpad2' }),
      { kind: 'digit', digit: '2' },
    ],
    ['Alt and another digit', press('2', { altKey: true, code: 'Digit2' }), { kind: 'other' }],
    ['Enter', press('Enter'), { kind: 'end' }],
    ['Tab', press('Tab'), { kind: 'end' }],
    ['carriage return as Ctrl M', press('m', CTRL), { kind: 'end' }],
    ['line feed as Ctrl J', press('j', CTRL), { kind: 'end' }],
    ['Shift Enter', press('Enter', { shiftKey: true }), { kind: 'other' }],
    ['Shift Tab', press('Tab', { shiftKey: true }), { kind: 'other' }],
    ['Escape', press('Escape'), { kind: 'clear' }],
    ['Ctrl V', press('v', { ...CTRL, code: 'KeyV' }), { kind: 'other' }],
    ['the command key', press('d', { metaKey: true, code: 'KeyD' }), { kind: 'other' }],
    ['an arrow', press('ArrowDown'), { kind: 'other' }],
    ['Shift alone', press('Shift', { shiftKey: true }), { kind: 'other' }],
  ])('%s', (_, given, key) => {
    expect(scanKeyOf(given)).toEqual(key);
  });

  it('is a control character by its number, and no other character', () => {
    expect(['029', '29', '030', '04', '065', '0'].map(controlOfNumber)).toEqual([
      '\x1d',
      '\x1d',
      '\x1e',
      '\x04',
      null,
      null,
    ]);
  });

  it('is shown as a picture, and read from it again', () => {
    const text = '[)>\x1e06\x1d9N110375286414\x1e\x04';
    expect(pictured(text)).toBe('[)>␞06␝9N110375286414␞␄');
    expect(unpictured(pictured(text))).toBe(text);
  });
});

describe('the pace', () => {
  function after(gapsMs: readonly number[]): Pace {
    const pace = new Pace();
    let atMs = 1_000;
    pace.press(atMs, true);
    for (const gapMs of gapsMs) pace.press((atMs += gapMs), false);
    return pace;
  }

  it.each([
    ['2 ms between keys', [2, 2, 2, 2, 2], true],
    ['20 ms between keys', [20, 20, 20, 20, 20, 20], true],
    ['50 ms between keys', [50, 50, 50, 50, 50], true],
    ['one pause of 51 ms', [2, 2, 51, 2, 2, 2], false],
    ['a person of 140 ms', [140, 140, 140, 140, 140, 140], false],
    ['five keys', [2, 2, 2, 2], false],
  ])('of %s is that of a scan: %j %s', (_, gapsMs, isScan) => {
    expect(after(gapsMs).isScan).toBe(isScan);
  });

  it('ends a scan 50 ms after its last key, and never what a person types', () => {
    const scan = after([2, 2, 2, 2, 2]);
    expect([scan.isOver(1_059), scan.isOver(1_060)]).toEqual([false, true]);
    expect(after([140, 2, 2, 2, 2, 2]).isOver(9_000)).toBe(false);
  });

  it('is that of each code alone', () => {
    const pace = after([140, 140]);
    for (const atMs of [5_000, 5_002, 5_004, 5_006, 5_008, 5_010]) pace.press(atMs, atMs === 5_000);
    expect(pace.isScan).toBe(true);
  });
});
