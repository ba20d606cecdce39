import { exportQuery, filtersOf, isFiltered, readOrderSearch } from './order-search';

it('reads an address and drops what is not known', () => {
  const address = { status: 'shipped', payment: 'never', q: '4711', sort: 'oldest', tab: 'open', shop: '' };
  expect(readOrderSearch(address)).toEqual({ status: 'shipped', q: '4711', sort: 'oldest' });
});

it('asks the server by the names of the contract, without what is not chosen', () => {
  expect(filtersOf({ shop: 's', payment: 'paid', id: 'i' })).toEqual({
    shop_id: 's',
    payment_status: 'paid',
  });
});

it('counts everything but the tab as a filter', () => {
  expect([isFiltered({ status: 'shipped', sort: 'oldest', id: 'i' }), isFiltered({ q: 'anna' })]).toEqual([
    false,
    true,
  ]);
});

it('takes the filters and the order of the list', () => {
  expect(exportQuery({ status: 'shipped', q: 'mü', sort: 'oldest' })).toEqual({
    status: 'shipped',
    q: 'mü',
    sort: 'created_at',
  });
  expect(exportQuery({ shop_id: 's', payment_status: 'paid' })).toEqual({
    shop_id: 's',
    payment_status: 'paid',
    sort: '-created_at',
  });
});
