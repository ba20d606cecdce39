import { filtersOf, isFiltered, readAnyDeliverySearch, readDeliverySearch } from './delivery-search';

const NOW_MS = Date.parse('2026-11-24T12:03:00Z');

it('drops what the address of an endpoint does not know', () => {
  expect(readDeliverySearch({ status: 'lost', kind: 'x', period: 'year', order: 'o', a: '1' })).toEqual({
    order: 'o',
  });
});

it('filters by the names of the contract', () => {
  const search = { status: 'failed', kind: 'order_created', order: 'o' } as const;
  expect(filtersOf('w', search, NOW_MS)).toEqual({
    webhook_id: 'w',
    status: 'failed',
    event_type: 'order_created',
    order_id: 'o',
  });
});

it('reads the endpoint and the open delivery where deliveries of every endpoint are listed', () => {
  const search = { endpoint: 'w', id: 'd', status: 'failed', a: '1' };
  expect(readAnyDeliverySearch(search)).toEqual({ endpoint: 'w', id: 'd', status: 'failed' });
  expect(filtersOf(undefined, { status: 'failed' }, NOW_MS)).toEqual({ status: 'failed' });
});

it('begins a period at a full five minutes, so that a later look asks for the same list', () => {
  const from = (nowMs: number) => filtersOf('w', { period: 'hour' }, nowMs);
  expect(from(NOW_MS)).toEqual({ webhook_id: 'w', from: '2026-11-24T11:00:00.000Z' });
  expect(from(NOW_MS + 60_000)).toEqual(from(NOW_MS));
});

it('knows that rows may be hidden', () => {
  expect([isFiltered({}), isFiltered({ period: 'day' })]).toEqual([false, true]);
});
