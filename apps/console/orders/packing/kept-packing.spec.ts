import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { forgetPacking, keepPacking, type Keeping, keptPacking } from './kept-packing';
import { beginPacking, countBy, countOf, lotsOf, type Packing, withLot, withoutLot } from './packing';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const LOT = { lot: 'AB1', expires_on: '2027-12-31', test_number: null };

function order(lines: readonly [id: string | null, quantity: number][], version = 1): PipelineOrder {
  const items = lines.map(([p1_id, quantity]) => ({ p1_id, quantity, name: `Name of ${p1_id}`, price: 1 }));
  const base: Partial<PipelineOrder> = {
    id: 'order',
    version,
    items,
    lots: [],
    status_since: '2026-11-30T08:00:00.000Z',
    customer_name: 'Anna Anders',
  };
  return base as PipelineOrder;
}

function device(): { keeping: Keeping; stored: Map<string, string> } {
  const stored = new Map<string, string>();
  const storage = () => ({
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
  return { keeping: { storage, staffId: 'anna', nowMs: NOW }, stored };
}

const begun = (seen: PipelineOrder) =>
  countBy(withLot(beginPacking(seen), { line: 0, quantity: 2, lot: LOT }), 1, 1);
const shown = (packing: Packing | null) =>
  packing?.seen.items.map((_, line) => [countOf(packing, line), lotsOf(packing, line).map(({ lot }) => lot)]);

it('keeps pieces and lots for the same person on the device, and no names', () => {
  const { keeping, stored } = device();
  const present = order([
    ['A', 3],
    [null, 2],
  ]);
  keepPacking(begun(present), keeping);
  expect(shown(keptPacking(present, keeping))).toEqual([
    [2, ['AB1']],
    [1, []],
  ]);
  expect([...stored.values()].join('')).not.toMatch(/Anna Anders|Name of/);
  expect(keptPacking(present, { ...keeping, staffId: 'bodo' })).toBeNull();
  expect(keptPacking({ ...present, id: 'other' }, keeping)).toBeNull();
  expect(keptPacking(present, { ...keeping, nowMs: NOW + 25 * 60 * 60_000 })).toBeNull();
  const reopened = { ...present, status_since: '2026-11-30T11:00:00.000Z' };
  expect(keptPacking(reopened, keeping)).toBeNull();
  forgetPacking('order', keeping);
  expect(keptPacking(present, keeping)).toBeNull();
});

it('keeps which lots of an earlier packing were removed', () => {
  const { keeping } = device();
  const lots = ['OLD', 'OLDER'].map((lot) => ({ ...LOT, line: 1, p1_id: 'A', name: 'A', quantity: 1, lot }));
  const present = { ...order([['A', 3]]), lots };
  keepPacking(withoutLot(beginPacking(present), 0, { ...LOT, lot: 'OLD' }), keeping);
  expect(shown(keptPacking(present, keeping))).toEqual([[0, ['OLDER']]]);
});

it('goes by the products in another version of the order', () => {
  const { keeping } = device();
  keepPacking(
    begun(
      order([
        ['A', 3],
        [null, 2],
      ]),
    ),
    keeping,
  );
  const changed = order(
    [
      [null, 2],
      ['B', 1],
      ['A', 1],
    ],
    2,
  );
  expect(shown(keptPacking(changed, keeping))).toEqual([
    [0, []],
    [0, []],
    [1, ['AB1']],
  ]);
});

it('keeps the newest orders only, and drops what it cannot read', () => {
  const { keeping, stored } = device();
  const present = order([['A', 3]]);
  for (let number = 0; number < 25; number++)
    keepPacking(countBy(beginPacking({ ...present, id: `order-${number}` }), 0, 1), keeping);
  const isKept = (number: number) => keptPacking({ ...present, id: `order-${number}` }, keeping) !== null;
  expect([isKept(0), isKept(4), isKept(5), isKept(24)]).toEqual([false, false, true, true]);
  for (const text of ['{', '7', '[7, null]', '[{"staffId":"anna","orderId":"order","packs":7}]']) {
    stored.set('offizin.packing', text);
    expect(keptPacking(present, keeping)).toBeNull();
  }
});

it('does without a device that stores nothing', () => {
  const storage = () => {
    throw new Error('refused');
  };
  const keeping = { ...device().keeping, storage };
  const present = order([['A', 3]]);
  keepPacking(countBy(beginPacking(present), 0, 1), keeping);
  expect(keptPacking(present, keeping)).toBeNull();
});
