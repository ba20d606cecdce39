import { bodyOf, oppositeOf, piecesOf, stockAfter, undoneIds } from './adjustment';

const typed = { pieces: '12', reason: 'received', note: ' ', reference: ' LS-7 ' } as const;

it('takes whole pieces only; none of them are a count, but no adjustment', () => {
  expect(piecesOf('add', { pieces: ' 1 200 ' })).toBe(1200);
  expect(piecesOf('count', { pieces: '0' })).toBe(0);
  for (const pieces of ['', '0', '-3', '1,5', '1.200', '1e3', '1000001'])
    expect([pieces, piecesOf('remove', { pieces })]).toEqual([pieces, null]);
});

it('sends what comes and goes as a difference, and a count with the stock that was seen', () => {
  const shared = { p1_id: 'P1', reason: 'received', reference: 'LS-7' };
  expect(bodyOf('P1', 'add', typed, 40)).toEqual({ ...shared, delta: 12 });
  expect(bodyOf('P1', 'remove', typed, 40)).toEqual({ ...shared, delta: -12 });
  expect(bodyOf('P1', 'count', typed, 40)).toEqual({ ...shared, quantity: 12, expected_quantity: 40 });
  expect(bodyOf('P1', 'count', { ...typed, pieces: 'a dozen' }, 40)).toBeNull();
});

it('says what the stock will be', () => {
  expect(stockAfter('add', 12, 40)).toBe(52);
  expect(stockAfter('remove', 12, 40)).toBe(28);
  expect(stockAfter('count', 12, 40)).toBe(12);
});

it('undoes an entry by its opposite, once', () => {
  const entry = { id: 'e1', p1_id: 'P1', delta: -12, reason: 'damaged', reference: null } as const;
  const undo = { p1_id: 'P1', delta: 12, reason: 'correction', reference: 'undo:e1' };
  expect(oppositeOf(entry)).toEqual(undo);
  expect([...undoneIds([entry, { reference: 'undo:e1' }])]).toEqual(['e1']);
});

it('undoes no sale, no undo, and no count that has changed nothing', () => {
  const entry = { id: 'e1', p1_id: 'P1', delta: -1, reason: 'damaged', reference: null } as const;
  expect(oppositeOf({ ...entry, reason: 'sold' })).toBeNull();
  expect(oppositeOf({ ...entry, reference: 'undo:e0' })).toBeNull();
  expect(oppositeOf({ ...entry, delta: 0 })).toBeNull();
});
