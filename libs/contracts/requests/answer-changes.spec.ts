import {
  answerOf,
  type AnswerChange,
  type AnsweredContent,
  type AnsweredLine,
  changesOf,
} from './answer-changes';
import { answerSentences } from './answer-sentences';

const line = (p1_id: string | null, quantity = 1, price = 10, name: string | null = null): AnsweredLine => ({
  p1_id,
  name,
  quantity,
  price,
});
const named = (name: string, quantity = 1, price = 10): AnsweredLine => line(null, quantity, price, name);
const cents = (items: readonly AnsweredLine[]): number =>
  items.reduce((sum, { quantity, price }) => sum + quantity * Math.round(price * 100), 0);
const content = (
  items: readonly AnsweredLine[],
  { rest = 0, ...fields }: Record<string, unknown> & { rest?: number } = {},
): AnsweredContent => ({ items, total_amount: (cents(items) + 100 * rest) / 100, fields });
const change = (
  kind: AnswerChange['kind'],
  at: number | null,
  from: AnswerChange['from'],
  to: AnswerChange['to'],
): AnswerChange => ({ kind, line: at, from, to });

type Case = [what: string, sent: AnsweredContent, approved: AnsweredContent, changes: AnswerChange[]];
const [a, b, c] = [line('a', 2), line('b', 3), line('c', 4)];

const CASES: Case[] = [
  ['nothing', content([a, b]), content([a, b]), []],
  ['a request without lines', content([]), content([]), []],
  ['a quantity', content([a, b]), content([a, line('b', 1)]), [change('quantity', 2, 3, 1)]],
  ['a price', content([a]), content([line('a', 2, 9.5)]), [change('price', 1, 10, 9.5)]],
  ['a price by binary noise only', content([line('a', 1, 0.3)]), content([line('a', 1, 0.1 + 0.2)]), []],
  [
    'quantity and price of one line',
    content([a]),
    content([line('a', 1, 12)]),
    [change('quantity', 1, 2, 1), change('price', 1, 10, 12)],
  ],
  ['a product', content([a, b]), content([line('x', 2), b]), [change('product', 1, 'a', 'x')]],
  [
    'product, quantity and price of one line',
    content([b, a]),
    content([b, line('x', 1, 8)]),
    [change('product', 2, 'a', 'x'), change('quantity', 2, 2, 1), change('price', 2, 10, 8)],
  ],
  [
    'a product by id for one by name',
    content([named('Salbe', 2)]),
    content([line('a', 2, 10, 'Rosensalbe')]),
    [change('product', 1, 'Salbe', 'a')],
  ],
  [
    'a product by name for one by id',
    content([line('a', 2, 10, 'Salbe')]),
    content([named('Salbe', 2)]),
    [change('product', 1, 'a', 'Salbe')],
  ],
  [
    'an id for a name in another place',
    content([b, named('Salbe')]),
    content([line('a', 1, 10, ' salbe'), b]),
    [change('product', 2, 'Salbe', 'a')],
  ],
  [
    'a name',
    content([named('Salbe')]),
    content([named('Rosensalbe')]),
    [change('name', 1, 'Salbe', 'Rosensalbe')],
  ],
  [
    'a name beside the same id',
    content([line('a', 1, 10, 'Salbe')]),
    content([line('a', 1, 10, 'Rosensalbe')]),
    [change('name', 1, 'Salbe', 'Rosensalbe')],
  ],
  ['a name that is left out beside the id', content([line('a', 1, 10, 'Salbe')]), content([line('a')]), []],
  ['a name that was not sent beside the id', content([line('a')]), content([line('a', 1, 10, 'Salbe')]), []],
  ['an added line', content([a]), content([a, b]), [change('added', 2, null, 'b')]],
  ['an added line before the others', content([a]), content([b, a]), [change('added', 1, null, 'b')]],
  ['a removed line', content([a, b, c]), content([a, c]), [change('removed', 2, 'b', null)]],
  [
    'a removed line that has no id',
    content([named('Tee'), a]),
    content([a]),
    [change('removed', 1, 'Tee', null)],
  ],
  [
    'all lines removed',
    content([a, b]),
    content([]),
    [change('removed', 1, 'a', null), change('removed', 2, 'b', null)],
  ],
  ['lines in another order', content([a, b, c]), content([c, a, b]), []],
  [
    'lines in another order, one with another quantity',
    content([a, b, c]),
    content([c, line('a', 5), b]),
    [change('quantity', 1, 2, 5)],
  ],
  ['two equal lines', content([a, a]), content([a, a]), []],
  ['one of two equal lines, removed', content([a, a]), content([a]), [change('removed', 2, 'a', null)]],
  [
    'the first of two equal lines',
    content([a, a]),
    content([line('a', 1), a]),
    [change('quantity', 1, 2, 1)],
  ],
  [
    'a line split in two',
    content([line('a', 5)]),
    content([line('a', 2), line('a', 3)]),
    [change('quantity', 1, 5, 2), change('added', 2, null, 'a')],
  ],
  [
    'two lines in one',
    content([line('a', 2), line('a', 3)]),
    content([line('a', 5)]),
    [change('quantity', 1, 2, 5), change('removed', 2, 'a', null)],
  ],
  [
    'two lines of one product: each keeps its price',
    content([line('a', 2, 10), line('a', 1, 20)]),
    content([line('a', 5, 20), line('a', 2, 11)]),
    [change('price', 1, 10, 11), change('quantity', 2, 1, 5)],
  ],
  [
    'a line that goes, and another product at the end',
    content([a, b, c]),
    content([a, c, line('x')]),
    [change('removed', 2, 'b', null), change('added', 3, null, 'x')],
  ],
  [
    'every product',
    content([a, b]),
    content([line('x', 2), line('y', 3)]),
    [change('product', 1, 'a', 'x'), change('product', 2, 'b', 'y')],
  ],
  [
    'a total beside the same lines',
    content([a], { rest: 5 }),
    content([a], { rest: 2 }),
    [change('price', null, 25, 22)],
  ],
  [
    'lines with a total that follows them',
    content([a], { rest: 5 }),
    content([line('a', 1)], { rest: 5 }),
    [change('quantity', 1, 2, 1)],
  ],
  [
    'the delivery, without values',
    content([a], { shipping_option: 'Versand' }),
    content([a], { shipping_option: null }),
    [change('delivery', null, null, null)],
  ],
  [
    'two fields of the customer, without values',
    content([a], { customer_name: 'Erika', customer_email: 'e@mail.example' }),
    content([a], { customer_name: 'Eva', customer_email: 'eva@mail.example' }),
    [change('customer', null, null, null)],
  ],
  [
    'address and name: delivery and customer',
    content([a], { address_city: 'Bonn', customer_name: 'E' }),
    content([a], { address_city: 'Köln', customer_name: 'Eva' }),
    [change('delivery', null, null, null), change('customer', null, null, null)],
  ],
  ['an empty field and none', content([a], { address_city: '' }), content([a], { address_city: null }), []],
  ['a field that is not a text', content([a], { customer_id: 7 }), content([a]), []],
];

it.each(CASES)('finds %s', (_, sent, approved, changes) => {
  expect(changesOf(sent, approved)).toEqual(changes);
  expect(answerOf(sent, approved)).toEqual({ corrected: changes.length > 0, changes });
});

describe('of 500 lines', () => {
  const many = (named = ''): AnsweredLine[] =>
    Array.from({ length: 500 }, (_, at) => line(`p${at}`, 2, 10, named === '' ? null : `${named}${at}`));

  it('finds the one that is other, and none in another order', () => {
    const [sent, reversed] = [many(), many().reverse()];
    expect(changesOf(content(sent), content(reversed))).toEqual([]);
    const corrected = reversed.map((each, at) => (at === 0 ? { ...each, quantity: 1 } : each));
    expect(changesOf(content(sent), content(corrected))).toEqual([change('quantity', 500, 2, 1)]);
  });

  it('has at most 500 changes, the first ones, and at most 80,000 characters', () => {
    const others = many().map((each) => ({ ...each, quantity: 1, price: 9 }));
    const changes = changesOf(content(many()), content(others));
    expect([changes.length, changes[499]]).toEqual([500, change('price', 250, 10, 9)]);
    const long = 'x'.repeat(250);
    const renamed = changesOf(content(many(`a${long}`)), content(many(`b${long}`)));
    expect(JSON.stringify(renamed).length).toBeLessThan(80_500);
    expect(renamed.length).toBeGreaterThan(100);
  });

  it('is quick also where each line is another product', () => {
    const others = many().map((each) => ({ ...each, p1_id: `other-${each.p1_id}` }));
    expect(changesOf(content(many()), content(others))).toHaveLength(500);
  });
});

describe('the sentences', () => {
  const CHANGES = [
    change('quantity', 1, 2, 1),
    change('price', 1, 10, 9.5),
    change('product', 2, 'p1', 'p2'),
    change('name', 3, 'Salbe', 'Tee'),
    change('removed', 4, 'p4', null),
    change('added', 5, null, 'p5'),
    change('price', null, 55, 60),
    change('delivery', null, null, null),
    change('customer', null, null, null),
  ];

  it('name every change in German and English', () => {
    expect(answerSentences(CHANGES, 'de')).toEqual([
      'Position 1: Menge 1 statt 2.',
      'Position 1: Preis 9,50 EUR statt 10,00 EUR.',
      'Position 2: Produkt p2 statt p1.',
      'Position 3: Bezeichnung Tee statt Salbe.',
      'Position 4: p4 entfällt.',
      'Position 5 des Auftrags: p5 ist neu.',
      'Gesamtbetrag 60,00 EUR statt 55,00 EUR.',
      'Die Lieferung wurde geändert.',
      'Die Angaben zur Person wurden geändert.',
    ]);
    expect(answerSentences(CHANGES, 'en')).toEqual([
      'Line 1: quantity 1 instead of 2.',
      'Line 1: price 9.50 EUR instead of 10.00 EUR.',
      'Line 2: product p2 instead of p1.',
      'Line 3: name Tee instead of Salbe.',
      'Line 4: p4 was left out.',
      'Line 5 of the order: p5 was added.',
      'Total 60.00 EUR instead of 55.00 EUR.',
      'The delivery was changed.',
      "The customer's data were changed.",
    ]);
  });

  it('are at most 20, and one that counts the others', () => {
    const many = Array.from({ length: 500 }, (_, at) => change('quantity', at + 1, 2, 1));
    expect(answerSentences(many, 'en').slice(19)).toEqual([
      'Line 20: quantity 1 instead of 2.',
      'And 480 more changes.',
    ]);
    expect(answerSentences(many.slice(0, 21), 'de').at(-1)).toBe('Dazu eine weitere Änderung.');
    expect(answerSentences([], 'de')).toEqual([]);
    const long = Array.from({ length: 500 }, () => change('name', 1, '😀'.repeat(255), 'x'.repeat(255)));
    expect(answerSentences(long, 'en').join(' ').length).toBeLessThan(9_000);
  });
});
