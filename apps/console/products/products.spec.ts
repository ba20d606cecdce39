import { priceOf, sourceOf } from './layers';
import { changesOf, draftOf } from './value-form';

describe('layers', () => {
  it('takes the value of the shop before that of the organization before that of the catalog', () => {
    expect(sourceOf({ catalog: 9.5, organization: 8, shop: 7 })).toBe('shop');
    expect(sourceOf({ catalog: 9.5, organization: 8, shop: null })).toBe('organization');
    expect(sourceOf({ catalog: 9.5, organization: null, shop: null })).toBe('catalog');
    expect(priceOf({ catalog: 9.5, organization: 8, shop: null })).toBe(8);
  });

  it('knows a value that states no or nothing, and that there may be none', () => {
    expect(sourceOf({ catalog: true, organization: null, shop: false })).toBe('shop');
    expect(priceOf({ catalog: 9.5, organization: 8, shop: 0 })).toBe(0);
    expect(sourceOf({ catalog: null, organization: null, shop: null })).toBeNull();
  });
});

describe('the form of a layer', () => {
  const LAYER = { name: null, category: 'Blüten', price: 9.5, available: null, description: 'Alt' };
  const money = (euros: number) => euros.toFixed(2).replace('.', ',');
  const draft = draftOf(LAYER, money);

  it('shows what the layer has, and nothing where the layer before counts', () => {
    expect(draft).toEqual({ name: '', category: 'Blüten', price: '9,50', available: '', description: 'Alt' });
    expect(changesOf(LAYER, draft)).toEqual({});
  });

  it('sends only what was changed; an emptied field goes back to the layer before', () => {
    expect(changesOf(LAYER, { ...draft, price: '8,90', available: 'false' })).toEqual({
      price: 8.9,
      available: false,
    });
    expect(changesOf(LAYER, { ...draft, price: ' ', category: '', name: ' Bediol ' })).toEqual({
      price: null,
      category: null,
      name: 'Bediol',
    });
  });

  it('takes no price that is none or could be read in two ways', () => {
    for (const price of ['viel', '1.234', '-1']) expect(changesOf(LAYER, { ...draft, price })).toBeNull();
  });
});
