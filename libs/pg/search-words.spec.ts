import { isSameName, searchFolded, wordsQuery } from './search-words';

describe('searchFolded', () => {
  it.each([
    ['Müller', 'muller'],
    ['Mu\u0308ller', 'muller'],
    ['Mueller', 'muller'],
    ['Goethe', 'gothe'],
    ['Kjær', 'kjar'],
    ['GROẞ', 'gross'],
    ['groß', 'gross'],
    ['Łukasz Øst', 'lukasz ost'],
    ['Yılmaz İnci', 'yilmaz inci'],
    ['  Anna \t\u00a0 Weber\n', 'anna weber'],
    ['Ａnna', 'anna'],
    ['Ελένη', 'ελενη'],
    ['ΜΆΡΙΟΣ', 'μαριοσ'],
    ['Юрий', 'юрии'],
    ['', ''],
  ])('makes %p to %p', (text, folded) => {
    expect(searchFolded(text)).toBe(folded);
  });

  it('is stable when it is applied again', () => {
    const folded = searchFolded('Jörg Weiß-Łąka');
    expect(searchFolded(folded)).toBe(folded);
  });
});

describe('isSameName', () => {
  it.each([
    ['Müller', 'MU\u0308LLER', true],
    ['Müller', 'Mueller', true],
    ['Müller', 'Muller', true],
    ['Weiß', ' weiss', true],
    ['Ærø', 'Aeroe', true],
    ['Citroën', 'Citroen', true],
    ['Mueller', 'Muller', false],
    ['Bauer', 'Baur', false],
    ['Michael', 'Michal', false],
    ['Noel', 'Nol', false],
    ['', ' ', false],
  ])('of %j and %j is %j', (one, other, isSame) => {
    expect([isSameName(one, other), isSameName(other, one)]).toEqual([isSame, isSame]);
  });
});

describe('wordsQuery', () => {
  const ORG = '0197a000-0000-7000-8000-0000cafe0001';

  it.each([
    ['Müller anna', `'cafe0001muller':* & 'cafe0001anna':*`],
    ['Müller, Anna;', `'cafe0001muller':* & 'cafe0001anna':*`],
    [`o'neill\\`, `'cafe0001o''neill\\\\':*`],
    ['B-2026-07', `('cafe0001b-2026-07':* | 'cafe0001b' & 'cafe00012026' & 'cafe000107':*)`],
    ['-07', `('cafe0001-07':* | 'cafe000107':*)`],
    ['(-)', `('cafe0001(-)':*)`],
    [' ,; ', ''],
  ])('makes a query of %p', (q, query) => {
    expect(wordsQuery({ orgId: ORG, q })).toBe(query);
  });

  it('takes another form of a word, and whole words', () => {
    const asked = { orgId: ORG, q: 'Öl', otherForm: (word: string) => `${word}7`, isWhole: true };
    expect(wordsQuery(asked)).toBe(`('cafe0001ol' | 'cafe0001ol7')`);
  });
});
