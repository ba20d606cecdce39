import { chooseKey, type KeyPress, type LayeredBinding } from './key-choice';

const run = (): void => undefined;
const binding = (keys: string, more: Partial<LayeredBinding> = {}): LayeredBinding => ({
  keys,
  does: keys,
  run,
  layer: 'page',
  ...more,
});
const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: '',
  shiftKey: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  altGraph: false,
  repeat: false,
  isComposing: false,
  inField: false,
  onControl: false,
  inDialog: false,
  ...more,
});
const bindings = [
  binding('a'),
  binding('j', { repeats: true }),
  binding('Shift x'),
  binding('Escape'),
  binding('Enter'),
  binding('Shift Enter'),
  binding('?', { layer: 'shell' }),
  binding('Ctrl k', { layer: 'shell' }),
  binding('g r', { layer: 'shell' }),
  binding('r'),
  binding('1', { layer: 'dialog' }),
];
const chosen = (pressed: KeyPress, policy: 'on' | 'alt' | 'off' = 'on', pending?: string) =>
  chooseKey(bindings, pressed, policy, pending).binding?.keys;

it('takes a letter whatever the case lock says, and Shift for another act', () => {
  expect(chosen(press('a'))).toBe('a');
  expect(chosen(press('A'))).toBe('a');
  expect(chosen(press('X', { shiftKey: true }))).toBe('Shift x');
  expect(chosen(press('x'))).toBeUndefined();
  expect(chosen(press('?', { shiftKey: true }))).toBe('?');
});

it('leaves Enter to the button or link that has the focus', () => {
  expect(chosen(press('Enter'))).toBe('Enter');
  expect(chosen(press('Enter', { onControl: true }))).toBeUndefined();
  expect(chosen(press('Enter', { onControl: true, shiftKey: true }))).toBe('Shift Enter');
  expect(chosen(press('j', { onControl: true }))).toBe('j');
});

it('lets a held key repeat only what may repeat', () => {
  expect(chosen(press('a', { repeat: true }))).toBeUndefined();
  expect(chosen(press('j', { repeat: true }))).toBe('j');
});

it('leaves fields, compositions and modified keys alone', () => {
  expect(chosen(press('a', { inField: true }))).toBeUndefined();
  expect(chosen(press('Escape', { inField: true }))).toBeUndefined();
  expect(chosen(press('a', { isComposing: true }))).toBeUndefined();
  for (const modifier of ['ctrlKey', 'metaKey', 'altKey'])
    expect(chosen(press('a', { [modifier]: true }))).toBeUndefined();
  expect(chosen(press('k', { ctrlKey: true, inField: true }))).toBe('Ctrl k');
  expect(chosen(press('k', { metaKey: true }))).toBe('Ctrl k');
});

it('counts AltGr as part of the character, as on German keyboards', () => {
  const withBracket = [...bindings, binding('[')];
  const bracket = press('[', { altGraph: true, ctrlKey: true, altKey: true });
  expect(chooseKey(withBracket, bracket, 'on').binding?.keys).toBe('[');
});

it('gives a dialog its own keys and nobody else', () => {
  expect(chosen(press('1', { inDialog: true }))).toBe('1');
  expect(chosen(press('a', { inDialog: true }))).toBeUndefined();
  expect(chosen(press('?', { inDialog: true }))).toBeUndefined();
});

it('takes two keys one after the other; a second one that completes no pair does nothing', () => {
  expect(chooseKey(bindings, press('g'), 'on')).toEqual({ pending: 'g' });
  expect(chosen(press('r'), 'on', 'g')).toBe('g r');
  expect(chosen(press('r'))).toBe('r');
  expect(chooseKey(bindings, press('a'), 'on', 'g')).toEqual({});
  expect(chooseKey(bindings, press('g'), 'on', 'g')).toEqual({});
  expect(chosen(press('k', { ctrlKey: true }), 'on', 'g')).toBeUndefined();
  expect(chooseKey(bindings, press('Shift', { shiftKey: true }), 'on', 'g')).toEqual({ pending: 'g' });
});

it('obeys the person: single keys with Alt only, or never', () => {
  expect(chosen(press('a'), 'off')).toBeUndefined();
  expect(chosen(press('Escape'), 'off')).toBe('Escape');
  expect(chosen(press('k', { ctrlKey: true }), 'off')).toBe('Ctrl k');
  expect(chosen(press('a'), 'alt')).toBeUndefined();
  expect(chosen(press('å', { altKey: true, code: 'KeyA' }), 'alt')).toBe('a');
  expect(chosen(press('a', { altKey: true, code: 'KeyA' }), 'on')).toBeUndefined();
});
