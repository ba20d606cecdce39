import { remarksIn } from './remarks';

it.each([
  [{ allergies: [' Penicillin', 'Nüsse', null] }, {}, ['allergies', null, 'Penicillin, Nüsse']],
  [{ Allergien: 'keine' }, {}, ['Allergien', null, 'keine']],
  [{ deliveryNotes: 'Klingel defekt' }, {}, ['deliveryNotes', null, 'Klingel defekt']],
  [{ items: [{ name: 'a' }, { comment: 'ohne Laktose' }] }, {}, ['comment', 2, 'ohne Laktose']],
  [{}, { kommentar: 'bitte anrufen' }, ['kommentar', null, 'bitte anrufen']],
  [{ intolerances: { lactose: true } }, {}, ['intolerances', null, '{"lactose":true}']],
  [{ is_pregnant: true, notified: 'x', comments: '  ', items: 'none' }, {}, ['is_pregnant', null, 'true']],
])('finds in %j with metadata %j the field that a person must read', (payload, metadata, expected) => {
  expect(remarksIn(payload, metadata).map(({ field, line, text }) => [field, line, text])).toEqual([
    expected,
  ]);
});
