import { readableName } from './customer-name';

it.each(['Anna', '李', 'Ł', '💊', '7'])('takes %j as it is', (name) => {
  expect(readableName(name)).toBe(name);
});

it.each([null, '', '   ', '\u200b\u200d', '\u00ad', '\u3164', '\u202e\u2066', '\u0301'])(
  'takes %j for no name, because nothing of it can be seen',
  (name) => {
    expect(readableName(name)).toBeNull();
  },
);

it('isolates a name from right to left, so that the sentence around it keeps its order', () => {
  expect(readableName('محمد علي')).toBe('\u2068محمد علي\u2069');
  expect(readableName('Anna (דנה)')).toBe('\u2068Anna (דנה)\u2069');
});

it('leaves out marks that turn the direction of the text after them', () => {
  expect(readableName('Anna\u202e gnubierF\u2069')).toBe('Anna gnubierF');
});
