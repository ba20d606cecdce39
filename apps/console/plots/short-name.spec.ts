import { shortName } from './short-name';

it('cuts words that are wider than a line, and names of more than two lines', () => {
  expect(shortName('Pedanios 22/1 Kush Mint')).toBe('Pedanios 22/1 Kush Mint');
  expect(shortName('von Hohenstein-Wernigerode')).toBe('von Hohenstein-Wernig…');
  expect([...shortName('ab '.repeat(40))]).toHaveLength(36);
});
