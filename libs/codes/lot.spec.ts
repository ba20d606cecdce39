import { lotOf } from './lot';

it.each([
  ['ch4711', 'CH4711'],
  [' Ch-47/11.b_2 ', 'CH-47/11.B_2'],
  ['A 1 B', 'A 1 B'],
  ['grün 7', 'GRÜN 7'],
  ['gru\u0308n', 'GRÜN'],
  ['12345678901234567890', '12345678901234567890'],
])('%j is the lot %j', (text, lot) => {
  expect(lotOf(text)).toBe(lot);
});

it.each([
  [''],
  ['  '],
  ['123456789012345678901'],
  ['A\u001dB'],
  ['A\u0000'],
  ['A\tB'],
  ['A  B'],
  ['A\u200bB'],
  ['A\u202eB'],
  // Its capitals are two letters each.
  ['ß'.repeat(11)],
  [' '.repeat(300) + 'A'],
])('%j is not a lot', (text) => {
  expect(lotOf(text)).toBeNull();
});
