import { layeredOf, priceOf, sourceOf } from './layers';
import { changesOf, draftOf, wrongFields } from './value-form';

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

  it('show the codes as one text: an empty list counts in the organization, not in the catalog', () => {
    const none = { name: null, category: null, price: null, available: null, description: null };
    const own = { ...none, thc: null, cbd: null, pzn: '03752864' };
    const codes = ['04006381333931', '00000073513537'];
    const layers = {
      catalog: { ...own, codes },
      organization: { ...own, pzn: null, codes: null },
      shop: none,
    };
    const text = '04006381333931, 00000073513537';
    expect(layeredOf(layers, 'codes')).toEqual({ catalog: text, organization: null, shop: null });
    expect(layeredOf(layers, 'pzn')).toEqual({ catalog: '03752864', organization: null, shop: null });
    const empty = { ...layers, catalog: { ...own, codes: [] }, organization: { ...own, codes: [] } };
    expect(layeredOf(empty, 'codes')).toEqual({ catalog: null, organization: '', shop: null });
  });
});

describe('the form of a layer', () => {
  const LAYER = { name: null, category: 'Blüten', price: 9.5, available: null, description: 'Alt' };
  const money = (euros: number) => euros.toFixed(2).replace('.', ',');
  const draft = draftOf(LAYER, money);

  it('shows what the layer has, and nothing where the layer before counts', () => {
    const texts = { name: '', category: 'Blüten', description: 'Alt' };
    expect(draft).toEqual({ ...texts, price: '9,50', available: '', pzn: '', codes: '' });
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
    for (const price of ['viel', '1.234', '-1']) {
      expect(changesOf(LAYER, { ...draft, price })).toBeNull();
      expect(wrongFields({ ...draft, price })).toEqual(['price']);
    }
  });

  it('reads a PZN and GTINs, and takes none with a wrong check digit', () => {
    const own = { ...LAYER, thc: null, cbd: null, pzn: '03752864', codes: ['04006381333931'] };
    const seen = draftOf(own, money);
    expect([seen.pzn, seen.codes, changesOf(own, seen)]).toEqual(['03752864', '04006381333931', {}]);
    expect(changesOf(own, { ...seen, pzn: ' 1234562 ', codes: '73513537, 4006381333931\n73513537' })).toEqual(
      {
        pzn: '01234562',
        codes: ['00000073513537', '04006381333931'],
      },
    );
    expect(changesOf(own, { ...seen, pzn: '', codes: ' ' })).toEqual({ pzn: null, codes: null });
    expect(wrongFields({ ...seen, pzn: '03752865', codes: '4006381333932' })).toEqual(['pzn', 'codes']);
    const six = '73513537 036000291452 4006381333931 14006381333938 4150012345623 27580899';
    expect(wrongFields({ ...seen, codes: six })).toEqual(['codes']);
  });
});
