import {
  bodyOf,
  emptyOf,
  isAlarming,
  oppositeOf,
  piecesOf,
  sendKey,
  stockAfter,
  undoneIds,
  withPiece,
} from './adjustment';
import { stepsOf } from './course-steps';
import { hintsOf } from './pack-hints';

describe('an adjustment', () => {
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

  it('gets a piece with each scan, also on what was typed, each time as another request', () => {
    const empty = emptyOf('remove');
    const first = withPiece('remove', empty, []);
    expect([first.pieces, first.reason]).toEqual(['1', 'damaged']);
    expect(withPiece('remove', { ...first, pieces: ' 12 ' }, []).pieces).toBe('13');
    expect(withPiece('count', { ...first, pieces: '0' }, []).pieces).toBe('1');
    expect(first.key).not.toBe(empty.key);
  });

  it('is sent again under the same key, also when its first attempt has changed the stock', () => {
    expect(sendKey('add', { key: 'k' }, 52)).toBe(sendKey('add', { key: 'k' }, 40));
    expect(sendKey('remove', { key: 'k' }, 52)).toBe('k');
    expect(sendKey('count', { key: 'k' }, 52)).not.toBe(sendKey('count', { key: 'k' }, 40));
  });

  it('takes expiry for the reason where an expired pack is the first that goes', () => {
    const expired = [{ kind: 'expired', day: '2020-01-31' }] as const;
    const first = withPiece('remove', emptyOf('remove'), expired);
    expect(first.reason).toBe('expired');
    expect(withPiece('remove', { ...first, reason: 'sold' }, expired).reason).toBe('sold');
    expect(withPiece('count', emptyOf('count'), expired).reason).toBe('correction');
  });

  it('keeps the hints of all packs, each once with its packs, and sounds the alarm for those that come in', () => {
    const product = { p1_id: 'P1', name: 'Tea' };
    const holds = [
      { p1_id: 'P1', lot: 'AB1', reason: 'Recall' },
      { p1_id: 'P2', lot: 'AB2', reason: 'Recall' },
    ];
    const good = hintsOf({ product, lot: 'AB2', expired: null }, holds);
    const held = hintsOf({ product, lot: 'AB1', expired: null }, holds);
    const both = hintsOf({ product, lot: 'AB1', expired: '2020-01-31' }, holds);
    expect([good, held].map((hints) => isAlarming('add', hints))).toEqual([false, true]);
    expect([isAlarming('remove', both), isAlarming('count', both)]).toEqual([false, false]);
    const counted = [held, both, good].reduce((now, hints) => withPiece('add', now, hints), emptyOf('add'));
    expect([counted.pieces, counted.hints]).toEqual([
      '3',
      [
        { kind: 'held', lot: 'AB1', reason: 'Recall', packs: 2 },
        { kind: 'expired', day: '2020-01-31', packs: 1 },
      ],
    ]);
  });

  it('has a hint for a lot when the holds could not be read, and none for a pack without a lot', () => {
    const product = { p1_id: 'P1', name: 'Tea' };
    const unread = hintsOf({ product, lot: 'AB1', expired: null }, null);
    expect([unread, isAlarming('add', unread)]).toEqual([[{ kind: 'unknown', lot: 'AB1' }], false]);
    expect(hintsOf({ product, lot: undefined, expired: null }, null)).toEqual([]);
  });

  it('states what the stock will be', () => {
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
});

describe('the course of a stock', () => {
  const NOW = Date.parse('2026-11-24T12:00:00Z');
  const FROM = Date.parse('2026-08-26T12:00:00Z');
  const point = (at: string, stock_quantity: number) => ({ at, stock_quantity });

  it('begins 90 days ago with the stock of then, and ends now', () => {
    const course = [point('2026-01-01T00:00:00Z', 40), point('2026-11-20T12:00:00Z', 25)];
    expect(stepsOf({ course, stock_quantity: 25 }, NOW)).toEqual([
      { atMs: FROM, value: 40 },
      { atMs: Date.parse('2026-11-20T12:00:00Z'), value: 25 },
      { atMs: NOW, value: 25 },
    ]);
  });

  it('is at nothing until the first entry of a product', () => {
    const course = [point('2026-11-20T12:00:00Z', 25)];
    expect(stepsOf({ course, stock_quantity: 25 }, NOW).map(({ value }) => value)).toEqual([0, 25, 25]);
    expect(stepsOf({ course: [], stock_quantity: 0 }, NOW).map(({ value }) => value)).toEqual([0, 0]);
  });
});
