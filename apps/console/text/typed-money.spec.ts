import { readMoney } from './typed-money';

it.each([
  ['12,5', 12.5],
  ['12.50', 12.5],
  [' 1.234,50 € ', 1234.5],
  ['1,234.50', 1234.5],
  ['1.234.567', 1234567],
  ['0', 0],
  // A thousand in German, a euro in English.
  ['1.234', null],
  ['1,234', null],
  ['1.234.50', null],
  ['12,345', null],
  ['-1', null],
  ['', null],
  ['1e3', null],
  ['100000000', null],
])('reads the amount %p as %p', (text, euros) => {
  expect(readMoney(text)).toBe(euros);
});
