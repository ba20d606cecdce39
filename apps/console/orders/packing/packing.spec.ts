import { readScan } from '@offizin/codes/scan';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import {
  beginPacking,
  codesIn,
  countBy,
  countScan,
  goOnWith,
  isComplete,
  isOf,
  openLines,
  type Packing,
  packedStatus,
  withParcelsOf,
} from './packing';

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

  /** `found`: ids of the products that have the code. */
  function scanned(packing: Packing, code: string, ...found: string[]) {
    return countScan(packing, {
      code,
      scan: readScan(code, { year: 2026 }),
      found: found.map((p1_id) => ({ p1_id, name: `Product ${p1_id}` })),
      nowMs: Date.parse('2026-11-30T12:00:00Z'),
    });
  }

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
    expect([packing.counts, openLines(packing), isComplete(packing)]).toEqual([[1, 1], 1, false]);
    expect(isComplete(scanAll([['BED-1', 2]], 'BED-1', 'bed-1'))).toBe(true);
  });

  it('fills the lines of one product one after the other', () => {
    expect(
      scanAll(
        [
          ['A', 1],
          ['A', 2],
        ],
        'A',
        'A',
      ).counts,
    ).toEqual([1, 1]);
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

  it('counts by hand between nothing and what was ordered', () => {
    const packing = beginPacking(order([['A', 3]]));
    expect(countBy(packing, 0, -1).counts).toEqual([0]);
    expect(countBy(packing, 0, 99).counts).toEqual([3]);
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
    expect(goOnWith(packing, present)).toEqual({ seen: present, counts: [1, 0, 2] });
  });

  it('goes on by itself when only the parcels of the order have changed', () => {
    const packing = scanAll([['A', 2]], 'A');
    const parcel = { id: 'p', carrier: 'dhl', tracking_number: '1234', url: null, created_at: '' } as const;
    const present = order([['A', 2]], { version: 2, parcels: [parcel] });
    expect(withParcelsOf(packing, present)).toEqual({ seen: present, counts: [1] });
    const other = order([['A', 3]], { version: 2, parcels: [parcel] });
    expect(withParcelsOf(packing, other)).toBe(packing);
  });

  it('moves a packed order as far as the workflow allows', () => {
    const next = ['ready_pickup', 'shipped'] as const;
    const status = (fields: Partial<PipelineOrder>) => packedStatus(order([], fields));
    expect(status({ shipping_option: 'Abholung', next_statuses: [...next] })).toBe('ready_pickup');
    expect(status({ shipping_option: 'Express', next_statuses: [...next] })).toBe('shipped');
    expect(status({ shipping_option: null, next_statuses: ['completed'] })).toBe('awaiting_packing');
  });
});
