import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import {
  beginPacking,
  countBy,
  countScan,
  goOnWith,
  isComplete,
  openLines,
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
      shipping_address: nowhere,
      ...fields,
    };
    return base as PipelineOrder;
  }

  /** Scans one after the other; a wrong one changes nothing. */
  function scanAll(lines: readonly Line[], ...codes: string[]) {
    return codes.reduce(
      (packing, code) => {
        const result = countScan(packing, code);
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
    expect(countScan(packing, 'B')).toEqual({ kind: 'wrong' });
    expect(countScan(packing, 'A')).toEqual({ kind: 'full', line: 0 });
    expect(countScan(packing, '')).toEqual({ kind: 'wrong' });
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
