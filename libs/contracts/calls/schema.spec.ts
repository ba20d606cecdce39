import { Int, Text } from './fields';
import { Described, fieldsOf, rulesOf } from './schema';

@Described('An older one.', { minProperties: 1 })
class Parent {
  @Text() first!: string;
  @Text({ maxLength: 10 }) second!: string;
}

class Child extends Parent {
  @Int() third!: number;
  @Text({ maxLength: 20 }) override second!: string;
}

it('lists inherited fields first, each with the most derived description', () => {
  const fields = [...fieldsOf(Child)].map(([name, { schema }]) => [name, schema['maxLength']]);
  expect(fields).toEqual([
    ['first', 255],
    ['second', 20],
    ['third', undefined],
  ]);
  expect([...fieldsOf(Parent).keys()]).toEqual(['first', 'second']);
});

it('does not inherit the rules of a class', () => {
  expect(rulesOf(Parent)).toEqual({ description: 'An older one.', minProperties: 1 });
  expect(rulesOf(Child)).toEqual({});
});
