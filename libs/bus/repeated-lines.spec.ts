import { sayOnce } from './repeated-lines';

it('says a line again after a minute, and another line at once', () => {
  const said: string[] = [];
  const at = (seconds: number, line: string) => sayOnce(line, () => said.push(line), seconds * 1_000);
  at(1, 'a');
  at(2, 'a');
  at(3, 'b');
  at(60, 'a');
  at(61, 'a');
  expect(said).toEqual(['a', 'b', 'a']);
});
