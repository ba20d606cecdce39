import { deprecationsOfAnswers, deprecatedFieldsOf, addUsedFields } from './deprecated-fields';
import { checkDeprecation, type Deprecation, deprecationHeaders } from './deprecation';
import { FreeObject, Int, Nested, QueryInteger, Text } from './fields';
import { operation } from './operation';

const link = 'https://offizin.example.com/changes';
const first: Deprecation = { since: '2027-01-01', sunset: '2028-01-31', link };
const second: Deprecation = { since: '2026-12-01', sunset: '2028-03-01', link: `${link}/second` };

class Item {
  @Text({ optional: true, deprecated: second }) old?: string;
  @Int({ optional: true }) count?: number;
}
class Order {
  @Nested(() => Item, { list: { maxItems: 10 } }) items!: Item[];
  @Nested(() => Item, { nullable: true }) gift!: Item | null;
  @FreeObject({ optional: true, payloadOf: () => Item }) payload?: object;
  @QueryInteger({ minimum: 1, maximum: 9, deprecated: first }) limit: number = 5;
}
class Plain {
  @Text() text!: string;
}
const definition = {
  ...({ name: 'spec.get', summary: 'For this spec', service: 'order-core' } as const),
  ...({ access: 'orders.read', method: 'GET', path: '/spec', reply: Plain } as const),
};

describe('the announcement', () => {
  it.each([
    ['is twelve months long', '2026-11-26', '2027-11-26'],
    ['begins on a 29 February', '2028-02-29', '2029-03-01'],
  ])('is accepted when it %s', (_, since, sunset) => {
    expect(() => operation({ ...definition, deprecated: { since, sunset, link } })).not.toThrow();
  });

  it.each([
    [{ sunset: '2027-12-31' }, 'deprecated.sunset must be 2028-01-01 or later, 12 months after since.'],
    [{ since: '2027-02-29' }, 'deprecated.since must be a day, such as 2026-01-31, not 2027-02-29.'],
    [{ sunset: 'never' }, 'deprecated.sunset must be a day, such as 2026-01-31, not never.'],
    [{ link: '/docs' }, 'deprecated.link must be an https address, not /docs.'],
    [{ link: 'http://a.example' }, 'deprecated.link must be an https address, not http://a.example.'],
    [
      { since: '2028-02-29', sunset: '2029-02-28' },
      'deprecated.sunset must be 2029-03-01 or later, 12 months after since.',
    ],
    [{ link: 'https://a.example/*/' }, 'deprecated.link must be an https address, not https://a.example/*/.'],
    [{ link: 'https://a.example/>x' }, 'deprecated.link must be an https address, not https://a.example/>x.'],
  ])('with %j is refused where it is declared', (wrong, message) => {
    const deprecated = { ...first, ...wrong };
    expect(() => operation({ ...definition, deprecated })).toThrow(`spec.get: ${message}`);
    expect(() => Text({ deprecated })(Plain.prototype, 'text')).toThrow(`Plain.text: ${message}`);
    expect(() => checkDeprecation('it', deprecated)).toThrow(message);
  });
});

describe('the headers', () => {
  it('are those of RFC 9745 and RFC 8594', () => {
    expect(deprecationHeaders([first])).toEqual({
      deprecation: '@1798761600',
      sunset: 'Mon, 31 Jan 2028 00:00:00 GMT',
      link: '<https://offizin.example.com/changes>; rel="deprecation"',
    });
    expect(deprecationHeaders([])).toEqual({});
  });

  it('have the earliest days of several, and each page once', () => {
    expect(deprecationHeaders([second, first, first])).toEqual({
      deprecation: '@1796083200',
      sunset: 'Mon, 31 Jan 2028 00:00:00 GMT',
      link: `<${link}/second>; rel="deprecation", <${link}>; rel="deprecation"`,
    });
  });
});

describe('deprecated fields', () => {
  it('are found in nested objects, once for each class', () => {
    const found = deprecatedFieldsOf(Order).map(({ dto, name }) => `${dto.name}.${name}`);
    expect(found).toEqual(['Item.old', 'Order.limit']);
    expect(deprecatedFieldsOf(Plain)).toEqual([]);
  });

  it('of an answer count for the operation, as its own end does', () => {
    expect(deprecationsOfAnswers(operation(definition))).toEqual([]);
    expect(deprecationsOfAnswers(operation({ ...definition, deprecated: first, reply: Item }))).toEqual([
      first,
      second,
    ]);
  });

  it.each([
    [{ items: [], gift: null }, []],
    [{ items: [{ count: 1 }, { old: null }], gift: null }, [second]],
    [{ items: [], gift: { old: 'x' } }, [second]],
    [{ items: [], payload: { old: 'x' } }, [second]],
    [{ limit: 'malformed', items: 7 }, [first]],
    [[[{ limit: 1 }]], [first]],
    [{ other: { old: 'x' }, gift: 'old' }, []],
    [null, []],
  ])('in %j are used as named', (body, expected) => {
    const used = new Set<Deprecation>();
    addUsedFields(Order, body, used);
    expect([...used]).toEqual(expected);
  });
});
