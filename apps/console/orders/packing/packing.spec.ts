import { readScan } from '@offizin/codes/scan';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import {
  beginPacking,
  countBy,
  countOf,
  goOnWith,
  hasBegun,
  isComplete,
  linesWithoutLots,
  lotsOf,
  lotsToWrite,
  openLines,
  type Packing,
  packedStatus,
  withLot,
  withoutLot,
  withOwnChanges,
} from './packing';
import { countScan, firstProblem, heldBy, type Hold } from './packing-scan';

describe('a parcel', () => {
  type Line = [id: string | null, quantity: number];

  function order(lines: readonly Line[], fields: Partial<PipelineOrder> = {}): PipelineOrder {
    const items = lines.map(([p1_id, quantity]) => ({ p1_id, quantity, name: p1_id, price: 1 }));
    const nowhere = { street: null, city: null, postal_code: null, phone: null };
    const base: Partial<PipelineOrder> = {
      status: 'awaiting_packing',
      items,
      parcels: [],
      lots: [],
      shipping_address: nowhere,
      ...fields,
    };
    return base as PipelineOrder;
  }

  const NOW = Date.parse('2026-11-30T12:00:00Z');
  let holds: readonly Hold[] = [];
  beforeEach(() => {
    holds = [];
  });

  /** `found`: ids of the products that have the code. */
  function scanned(packing: Packing, code: string, ...found: string[]) {
    return countScan(packing, {
      code,
      scan: readScan(code, { year: 2026 }),
      found: found.map((p1_id) => ({ p1_id, name: `Product ${p1_id}` })),
      holds,
      nowMs: NOW,
    });
  }

  const countsOf = (packing: Packing) => packing.seen.items.map((_, line) => countOf(packing, line));
  const TEA = 'A';
  const packOf = (lot: string, day = '271231') => `]d20104150037528643\x1d17${day}\x1d10${lot}`;

  /** Packs of one product, one after the other. */
  function packed(packing: Packing, ...lots: string[]): Packing {
    return lots.reduce((now, lot) => {
      const result = scanned(now, packOf(lot), TEA);
      if (result.kind !== 'counted') throw new Error(result.kind);
      return result.packing;
    }, packing);
  }

  const lotTexts = (packing: Packing, line = 0) =>
    lotsOf(packing, line).map(
      ({ lot, quantity, isBefore }) => `${quantity} ${lot}${isBefore ? ' before' : ''}`,
    );

  /** Scans one after the other; a wrong one changes nothing. */
  function scanAll(lines: readonly Line[], ...codes: string[]) {
    return codes.reduce(
      (packing, code) => {
        const result = scanned(packing, code);
        return result.kind === 'counted' ? result.packing : packing;
      },
      beginPacking(order(lines)),
    );
  }

  it('counts a line up by the code of its product, in capitals or not', () => {
    const packing = scanAll(
      [
        ['BED-1', 2],
        ['VAP', 1],
      ],
      'bed-1',
      'VAP',
    );
    expect([countsOf(packing), openLines(packing), isComplete(packing)]).toEqual([[1, 1], 1, false]);
    expect(isComplete(scanAll([['BED-1', 2]], 'BED-1', 'bed-1'))).toBe(true);
  });

  it('fills the lines of one product one after the other', () => {
    const packing = scanAll(
      [
        ['A', 1],
        ['A', 2],
      ],
      'A',
      'A',
    );
    expect(countsOf(packing)).toEqual([1, 1]);
  });

  it('tells a product that is not in the order from one that is in the parcel already', () => {
    const packing = scanAll(
      [
        ['A', 1],
        [null, 1],
      ],
      'A',
    );
    expect(scanned(packing, 'B')).toEqual({ kind: 'wrong', product: null });
    expect(scanned(packing, 'A')).toEqual({ kind: 'full', line: 0 });
    expect(scanned(packing, '')).toEqual({ kind: 'unreadable', because: 'empty' });
  });

  it('counts by the codes of its products, and names the product that is not in the order', () => {
    const packing = beginPacking(
      order([
        ['A', 2],
        ['B', 1],
      ]),
    );
    expect(scanned(packing, '-03752864', 'B')).toMatchObject({ kind: 'counted', line: 1 });
    expect(scanned(packing, ']C0a')).toMatchObject({ kind: 'counted', line: 0 });
    expect(scanned(packing, '4006381333931', 'C')).toEqual({ kind: 'wrong', product: 'Product C' });
    expect(scanned(packing, '27580899', 'A', 'B')).toEqual({ kind: 'unclear' });
    expect(scanned(packing, '4006381333932')).toEqual({ kind: 'unreadable', because: 'check_digit' });
  });

  it('takes no pack that is expired; the last day counts', () => {
    const packing = beginPacking(order([['A', 2]]));
    const pack = (day: string) => scanned(packing, `]d20104150037528643\x1d17${day}\x1d10AB`, 'A');
    expect(pack('261129')).toEqual({ kind: 'expired', line: 0, day: '2026-11-29' });
    expect(pack('261130').kind).toBe('counted');
    expect(pack('261100').kind).toBe('counted');
    expect(pack('261000')).toEqual({ kind: 'expired', line: 0, day: '2026-10-31' });
  });

  it('counts by hand between nothing and what was ordered', () => {
    const packing = beginPacking(order([['A', 3]]));
    expect(countsOf(countBy(packing, 0, -1))).toEqual([0]);
    expect(countsOf(countBy(packing, 0, 99))).toEqual([3]);
  });

  it('never takes an order without lines for packed', () => {
    expect(isComplete(beginPacking(order([])))).toBe(false);
  });

  it('keeps what is in the parcel when the order changes, up to the new quantities', () => {
    const packing = scanAll(
      [
        ['A', 3],
        ['B', 1],
      ],
      'A',
      'A',
      'A',
      'B',
    );
    const present = order([
      ['B', 2],
      ['C', 1],
      ['A', 2],
    ]);
    expect(countsOf(goOnWith(packing, present))).toEqual([1, 0, 2]);
  });

  it('goes on by itself when only the parcels of the order have changed', () => {
    const packing = scanAll([['A', 2]], 'A');
    const parcel = { id: 'p', carrier: 'dhl', tracking_number: '1234', url: null, created_at: '' } as const;
    const present = order([['A', 2]], { version: 2, parcels: [parcel] });
    expect(withOwnChanges(packing, present)).toEqual({ ...packing, seen: present });
    const other = order([['A', 3]], { version: 2, parcels: [parcel] });
    expect(withOwnChanges(packing, other)).toBe(packing);
  });

  it('takes the lot of each pack along, and gives it back with the piece', () => {
    const packing = packed(beginPacking(order([[TEA, 4]])), 'AB1', 'AB2', 'AB1');
    expect([lotTexts(packing), linesWithoutLots(packing)]).toEqual([['2 AB1', '1 AB2'], 0]);
    const item = { line: 1, p1_id: TEA, name: TEA, expires_on: '2027-12-31', test_number: null };
    expect(lotsToWrite(packing)).toEqual([
      { ...item, lot: 'AB1', quantity: 2 },
      { ...item, lot: 'AB2', quantity: 1 },
    ]);
    const byHand = countBy(packing, 0, 1);
    expect([lotTexts(byHand), linesWithoutLots(byHand)]).toEqual([['2 AB1', '1 AB2'], 1]);
    // The piece by hand came last.
    expect(lotTexts(countBy(byHand, 0, -2))).toEqual(['1 AB1', '1 AB2']);
    expect(lotTexts(countBy(byHand, 0, -4))).toEqual([]);
  });

  it('takes no pack of a lot on hold, of this product alone', () => {
    holds = [{ p1_id: TEA, lot: 'AB1', reason: 'Recall' }];
    const packing = beginPacking(order([[TEA, 2]]));
    const held = { kind: 'held', lot: 'AB1', reason: 'Recall' };
    expect(scanned(packing, packOf('ab1'), TEA)).toEqual({ ...held, line: 0 });
    expect(scanned(packing, packOf('AB2'), TEA).kind).toBe('counted');
    expect(heldBy('AB1', 'B', holds)).toBeNull();
    // A line without an id may be of any product.
    expect(heldBy('AB1', null, holds)).toEqual(held);
    const counted = packed({ ...packing }, 'AB2');
    holds = [{ p1_id: TEA, lot: 'AB2', reason: 'Recall' }];
    expect(firstProblem(counted, { holds, nowMs: NOW })).toEqual({ ...held, lot: 'AB2', line: 0 });
  });

  it('lets no lot go out that the order had before and that is expired or on hold now', () => {
    const had = { p1_id: TEA, name: TEA, expires_on: '2026-11-29', test_number: null, quantity: 1 };
    const lots = [
      { ...had, line: 2, lot: 'OLD' },
      // Its product is no longer in the order, so neither are its packs.
      { ...had, line: null, p1_id: 'gone', lot: 'AB1' },
    ];
    const lines: Line[] = [
      ['B', 1],
      [TEA, 1],
    ];
    const begun = beginPacking(order(lines, { lots }));
    const expired = { kind: 'expired', day: '2026-11-29', lot: 'OLD', line: 1 };
    expect(firstProblem(begun, { holds, nowMs: NOW })).toEqual(expired);
    const theDayBefore = { holds, nowMs: NOW - 24 * 60 * 60_000 };
    expect(firstProblem(begun, theDayBefore)).toBeNull();
    holds = [{ p1_id: TEA, lot: 'OLD', reason: 'Recall' }];
    const held = { kind: 'held', lot: 'OLD', reason: 'Recall', line: 1 };
    expect(firstProblem(begun, { ...theDayBefore, holds })).toEqual(held);
    const [old] = lotsOf(begun, 1);
    if (!old) throw new Error('no lot');
    expect(firstProblem(withoutLot(begun, 1, old), { holds, nowMs: NOW })).toBeNull();
  });

  it('gives a typed lot to the counted pieces without one, then to further ones', () => {
    const typed = { lot: 'F-1', expires_on: null, test_number: 'P-12' };
    const packing = countBy(packed(beginPacking(order([[TEA, 5]])), 'AB1'), 0, 2);
    const half = withLot(packing, { line: 0, quantity: 1, lot: typed });
    expect([countOf(half, 0), lotTexts(half), linesWithoutLots(half)]).toEqual([3, ['1 AB1', '1 F-1'], 1]);
    const all = withLot(packing, { line: 0, quantity: 9, lot: typed });
    expect([countOf(all, 0), lotTexts(all), linesWithoutLots(all)]).toEqual([5, ['1 AB1', '4 F-1'], 0]);
    const without = withoutLot(all, 0, typed);
    expect([countOf(without, 0), lotTexts(without)]).toEqual([5, ['1 AB1']]);
  });

  it('keeps the lots of a reopened order until its lines get others, and those of products that are gone', () => {
    const before = { p1_id: TEA, name: TEA, expires_on: '2020-01-31', test_number: null };
    const lots = [
      { ...before, line: 1, lot: 'OLD', quantity: 2 },
      { ...before, line: null, p1_id: 'gone', lot: 'GONE', quantity: 1 },
    ];
    const begun = beginPacking(order([[TEA, 2]], { lots }));
    expect([lotTexts(begun), hasBegun(begun), lotsToWrite(begun)]).toEqual([['2 OLD before'], false, lots]);
    expect(lotTexts(packed(begun, 'NEW'))).toEqual(['1 NEW']);
    expect(lotTexts(countBy(packed(begun, 'NEW'), 0, -1))).toEqual(['2 OLD before']);
    const [old] = lotsOf(begun, 0);
    if (!old) throw new Error('no lot');
    const without = withoutLot(begun, 0, old);
    expect([lotsToWrite(without), hasBegun(without)]).toEqual([lots.slice(1), true]);
    expect(lotTexts(beginPacking(order([[TEA, 1]], { lots })))).toEqual(['1 OLD before']);
  });

  it('leaves a lot of an earlier packing removed when the order changes', () => {
    const had = { p1_id: TEA, name: TEA, expires_on: '2027-12-31', test_number: null, quantity: 1 };
    const lots = ['OLD', 'OLDER'].map((lot) => ({ ...had, line: 1, lot }));
    const begun = beginPacking(order([[TEA, 2]], { lots }));
    const [old] = lotsOf(begun, 0);
    if (!old) throw new Error('no lot');
    const lines: Line[] = [
      ['B', 1],
      [TEA, 2],
    ];
    const present = order(lines, { lots: lots.map((lot) => ({ ...lot, line: 2 })) });
    const went = goOnWith(withoutLot(begun, 0, old), present);
    expect([lotTexts(went, 1), hasBegun(went)]).toEqual([['1 OLDER before'], true]);
    // Removed by a colleague, too: nothing is left to remove.
    const gone = goOnWith(withoutLot(begun, 0, old), order([[TEA, 2]]));
    expect([lotTexts(gone), hasBegun(gone)]).toEqual([[], false]);
  });

  it('keeps each lot with its product when the lines change', () => {
    const packing = countBy(
      packed(
        beginPacking(
          order([
            [TEA, 3],
            ['B', 1],
          ]),
        ),
        'AB1',
        'AB1',
        'AB2',
      ),
      1,
      1,
    );
    const went = goOnWith(
      packing,
      order([
        ['B', 1],
        [TEA, 2],
      ]),
    );
    expect([lotTexts(went, 0), lotTexts(went, 1), countsOf(went)]).toEqual([[], ['2 AB1'], [1, 2]]);
  });

  it('goes on by itself with the lots that it has written, and not with those of a colleague', () => {
    const packing = packed(beginPacking(order([[TEA, 1]], { version: 1 })), 'AB1');
    const lots = lotsToWrite(packing);
    const written = order([[TEA, 1]], { version: 2, lots });
    expect(withOwnChanges(packing, written).seen).toBe(written);
    const others = lots.map((lot) => ({ ...lot, lot: 'X' }));
    expect(withOwnChanges(packing, order([[TEA, 1]], { version: 2, lots: others }))).toBe(packing);
  });

  it('moves a packed order as far as the workflow allows', () => {
    const next = ['ready_pickup', 'shipped'] as const;
    const status = (fields: Partial<PipelineOrder>) => packedStatus(order([], fields));
    expect(status({ shipping_option: 'Abholung', next_statuses: [...next] })).toBe('ready_pickup');
    expect(status({ shipping_option: 'Express', next_statuses: [...next] })).toBe('shipped');
    expect(status({ shipping_option: null, next_statuses: ['completed'] })).toBe('awaiting_packing');
  });
});
