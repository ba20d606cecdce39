import { ORDER_COLUMNS as CONTRACT } from '@offizin/contracts/console/views';
import { columnsIn, columnsText, fitting, ORDER_COLUMNS, templateOf } from './order-columns';
import { isFiltered } from '../../lists/address';
import { exportQuery, filtersOf, NO_FILTER, readOrderSearch } from './order-search';

describe('the address of the list', () => {
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
    const others = { status: 'shipped', sort: 'oldest', id: 'i' };
    expect([others, { q: 'anna' }].map((search) => isFiltered(search, NO_FILTER))).toEqual([false, true]);
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
});

describe('its columns', () => {
  it('knows the columns of the contract', () => {
    expect(ORDER_COLUMNS).toEqual(CONTRACT);
  });

  it.each([
    [undefined, null],
    ['age,number', ['number', 'age']],
    ['age,secret', ['number', 'age']],
    ['', ['number']],
    [columnsText([]), []],
  ])('reads %j in an address as %j', (text, columns) => {
    expect(columnsIn(text)).toEqual(columns);
  });

  it('writes what it reads', () => {
    expect(columnsIn(columnsText(['number', 'total']))).toEqual(['number', 'total']);
  });

  it('leaves out what does not fit, the least needed first and never the number', () => {
    const all = [...CONTRACT];
    expect(fitting(all, null)).toEqual(all);
    expect(fitting(all, 1400)).toEqual(all);
    expect(fitting(all, 1220)).toEqual(all.filter((column) => column !== 'shop'));
    expect(fitting(all, 500)).toEqual(['number', 'customer', 'status']);
    expect(fitting(['number', 'shop', 'lines'], 500)).toEqual(['number', 'shop', 'lines']);
    expect(fitting(all, 10)).toEqual(['number']);
  });

  it('has a width for each column', () => {
    expect(templateOf(['number', 'total'])).toBe('minmax(96px, 1fr) 104px');
  });
});
