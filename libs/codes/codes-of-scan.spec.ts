import { codesIn, isOf } from './codes-of-scan';
import { readScan } from './scan';

it('looks up PZN before GTIN, and takes no GTIN of eight digits for the PZN of the same digits', () => {
  const read = (code: string) => readScan(code, { year: 2026 });
  expect(codesIn(read('-27580899'))).toEqual(['27580899']);
  expect(codesIn(read('27580899'))).toEqual(['27580899']);
  expect(codesIn(read(']d20104150037528643'))).toEqual(['03752864', '04150037528643']);
  expect(codesIn(read('P1-1001'))).toEqual([]);
  const [byPzn, byGtin] = [
    { pzn: '27580899', codes: [] },
    { pzn: null, codes: ['00000027580899'] },
  ];
  expect([isOf(byPzn, read('-27580899')), isOf(byGtin, read('-27580899'))]).toEqual([true, false]);
  expect([isOf(byPzn, read(']E427580899')), isOf(byGtin, read(']E427580899'))]).toEqual([false, true]);
  expect([isOf(byPzn, read('27580899')), isOf(byGtin, read('27580899'))]).toEqual([true, true]);
  const byNtin = { pzn: null, codes: ['04150037528643'] };
  expect([isOf(byNtin, read('-03752864')), isOf(byNtin, read('-01234562'))]).toEqual([true, false]);
});
