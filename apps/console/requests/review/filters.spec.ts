import { REVIEW_FLAGS, REVIEW_OUTCOMES } from '@offizin/contracts/requests/review';
import { isFiltered } from '../../lists/address';
import { filtersOf, NO_FILTER, readSearch } from './filters';

describe('the address of the review screen', () => {
  it('keeps every known value', () => {
    const search = { tab: 'asked', shop: 's1', source: 'telearzt', q: 'Ö', sort: 'newest', id: 'r1' };
    expect(readSearch({ ...search, pane: 'document' })).toEqual({ ...search, pane: 'document' });
    expect(filtersOf(readSearch(search))).toEqual({
      tab: 'asked',
      shop_id: 's1',
      source: 'telearzt',
      q: 'Ö',
      sort: 'newest',
    });
  });

  it.each(REVIEW_FLAGS)('knows the flag %s', (flag) => {
    expect(readSearch({ flag })).toEqual({ flag });
  });

  it.each(REVIEW_OUTCOMES)('narrows decided requests to %s, and no others', (status) => {
    expect(filtersOf(readSearch({ tab: 'decided', status }))).toEqual({
      tab: 'decided',
      status,
      sort: 'newest',
    });
    expect(readSearch({ tab: 'asked', status })).toEqual({ tab: 'asked' });
  });

  it('shows the newest decision first, and the oldest open request, unless another order is chosen', () => {
    const sortOf = (search: object) => filtersOf(readSearch({ ...search })).sort;
    expect([sortOf({ tab: 'decided' }), sortOf({ tab: 'asked' }), sortOf({})]).toEqual([
      'newest',
      undefined,
      undefined,
    ]);
    expect(sortOf({ tab: 'decided', sort: 'oldest' })).toBe('oldest');
  });

  it('names the person whose requests are shown', () => {
    for (const assigned of ['nobody', '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c12'])
      expect(filtersOf(readSearch({ assigned }))).toEqual({ assigned });
  });

  it('drops what nobody knows', () => {
    expect(
      readSearch({
        tab: 'x',
        assigned: 'me',
        flag: '',
        q: '',
        sort: {},
        id: null,
        pane: 'list',
        more: 1,
      }),
    ).toEqual({});
  });

  it('states whether a filter hides rows; tab and sort hide none', () => {
    expect(isFiltered(readSearch({ tab: 'decided', sort: 'newest', id: 'r1' }), NO_FILTER)).toBe(false);
    for (const name of Object.keys(NO_FILTER)) expect(isFiltered({ [name]: 'x' }, NO_FILTER)).toBe(true);
  });
});
