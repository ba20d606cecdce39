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
