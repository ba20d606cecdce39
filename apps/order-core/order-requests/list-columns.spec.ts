import { linesTextOf, searchFolded, searchTextOf } from './list-columns';

const line = (quantity: number, name: string | null, p1_id: string | null = null) => ({
  quantity,
  name,
  p1_id,
});

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
    ['', ''],
  ])('makes %p to %p', (text, folded) => {
    expect(searchFolded(text)).toBe(folded);
  });

  it('is stable when it is applied again', () => {
    const folded = searchFolded('Jörg Weiß-Łąka');
    expect(searchFolded(folded)).toBe(folded);
  });
});

it('holds name and reference apart, and neither after an erasure', () => {
  expect(searchTextOf('Jörg', 'R-7')).toBe('jorg\nr-7');
  expect(searchTextOf('Jörg\nR', null)).toBe('jorg r\n');
  expect(searchTextOf(null, null)).toBe('\n');
});

describe('linesTextOf', () => {
  it('names the lines, or their products', () => {
    expect(linesTextOf([line(15, 'Bediol'), line(1, null, 'p1-7'), line(2, ' ', 'p1-8')])).toBe(
      '15 × Bediol, 1 × p1-7, 2 × p1-8',
    );
    expect(linesTextOf([])).toBe('');
  });

  it('is one line in NFC', () => {
    expect(linesTextOf([line(1, 'Blu\u0308te\n\u0007 A')])).toBe('1 × Blüte A');
  });

  it('ends after 500 characters, never within one', () => {
    const text = linesTextOf(Array.from({ length: 500 }, () => line(1, '🌿'.repeat(50))));
    expect(Array.from(text).length).toBe(500);
    expect(text.endsWith('…')).toBe(true);
    expect(text.isWellFormed()).toBe(true);
    expect(linesTextOf([line(1, 'x'.repeat(496))]).length).toBe(500);
    expect(linesTextOf([line(1, 'x'.repeat(496))]).endsWith('x')).toBe(true);
  });
});
