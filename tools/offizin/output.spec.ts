import { lineOf, problem } from './doctor/finding';
import { jsonOf, textOf, visible } from './output';

it.each([
  ['\u001b[2J\u001b]0;x\u0007', '\\u001b[2J\\u001b]0;x\\u0007'],
  ['\u009b31m', '\\u009b31m'],
  ['a\r\bb\u007f', 'a\\u000d\\u0008b\\u007f'],
  ['\u202egnp.exe', '\\u202egnp.exe'],
  ['Müller\n\tok', 'Müller\n\tok'],
])('%j is printed as %j', (text, printed) => {
  expect(visible(text)).toBe(printed);
});

it('a cell of a table keeps no line break, and JSON stays the same value', () => {
  expect(visible('a\nb', '')).toBe('a\\u000ab');
  const value = { name: 'a\u009b\u202e\u001b\nb' };
  expect(jsonOf(value)).toBe('{"name":"a\\u009b\\u202e\\u001b\\nb"}');
  expect(JSON.parse(jsonOf(value, 2))).toEqual(value);
});

const HOSTILE = '\u001b[2J';
it.each([
  ['the members of an object', textOf({ [`name${HOSTILE}`]: HOSTILE })],
  ['the columns of a list', textOf({ data: [{ [`name${HOSTILE}`]: HOSTILE }] })],
  ['the advice of a check', lineOf(problem('broker', HOSTILE, HOSTILE))],
])('%s have no controls in print', (_, text) => {
  expect(text).not.toContain(HOSTILE);
  expect(text.split('\\u001b[2J')).toHaveLength(3);
});
