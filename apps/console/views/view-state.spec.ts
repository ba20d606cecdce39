import { type View, VIEW_ACTOR, VIEW_SOURCE } from '@offizin/contracts/console/views';
import { addressOf, FORMS, hasTyped, isChanged, keptOf } from './view-state';

const VIEW: View = {
  id: '1',
  version: 1,
  screen: 'orders',
  name: 'Heute',
  shared: false,
  query: { status: 'shipped', sort: 'oldest' },
  columns: ['number', 'age'],
};

it('keeps the filters of its screen, and neither typed text nor the open object', () => {
  const address = { status: 'shipped', q: 'anna', id: '7', view: '1', tab: 'open' };
  expect(keptOf('orders', address)).toEqual({ status: 'shipped' });
  expect([hasTyped(address), hasTyped({ status: 'shipped' })]).toEqual([true, false]);
});

it('leaves out a source and an actor that the server does not store, and knows of it', () => {
  expect([FORMS['source'], FORMS['who']]).toEqual([VIEW_SOURCE, VIEW_ACTOR]);
  const address = { source: 'Tele Arzt', tab: 'asked' };
  expect([keptOf('requests', address), hasTyped(address)]).toEqual([{ tab: 'asked' }, true]);
  expect(keptOf('audit', { who: 'platform:anna' })).toEqual({});
  const mine = { source: 'tele-arzt', assigned: 'nobody' };
  expect(keptOf('requests', mine)).toEqual(mine);
});

it('puts its id beside the filters, so that a link says both', () => {
  expect(addressOf('orders', VIEW)).toEqual({ status: 'shipped', sort: 'oldest', view: '1' });
});

it.each([
  [{ status: 'shipped', sort: 'oldest', q: 'anna', id: '7' }, VIEW.columns, false],
  [{ status: 'shipped' }, VIEW.columns, true],
  [{ status: 'shipped', sort: 'oldest', shop: '2' }, VIEW.columns, true],
  [{ status: 'shipped', sort: 'oldest' }, [], true],
])('knows of the address %j with the columns %j whether it is changed', (address, columns, changed) => {
  expect(isChanged(VIEW, address, columns)).toBe(changed);
});
