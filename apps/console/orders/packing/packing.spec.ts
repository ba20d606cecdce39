import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { beginPacking, countBy, countScan, goOnWith, isComplete, openLines, packedStatus } from './packing';
import { hear, type Heard, heardWithoutEnter, type Hearing, SCAN_PAUSE_MS } from './scan';

describe('a parcel', () => {
  type Line = [id: string | null, quantity: number];

  function order(lines: readonly Line[], fields: Partial<PipelineOrder> = {}): PipelineOrder {
    const items = lines.map(([p1_id, quantity]) => ({ p1_id, quantity, name: p1_id, price: 1 }));
    const base: Partial<PipelineOrder> = { status: 'awaiting_packing', items, ...fields };
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

  it('moves a packed order as far as the workflow allows', () => {
    const next = ['ready_pickup', 'shipped'] as const;
    const status = (fields: Partial<PipelineOrder>) => packedStatus(order([], fields));
    expect(status({ shipping_option: 'Abholung', next_statuses: [...next] })).toBe('ready_pickup');
    expect(status({ shipping_option: 'Express', next_statuses: [...next] })).toBe('shipped');
    expect(status({ shipping_option: null, next_statuses: ['completed'] })).toBe('awaiting_packing');
  });
});

describe('the scanner', () => {
  const ENTER = 'Enter';

  /** The last thing heard of these presses, each `pauseMs` after the one before. */
  function heard(keys: readonly string[], pauseMs = 5, isPlain = true): Heard {
    let hearing: Hearing | null = null;
    let last: Heard = { kind: 'typed' };
    keys.forEach((key, index) => {
      last = hear(hearing, { key, atMs: index * pauseMs, isPlain });
      hearing = last.kind === 'waiting' ? last.hearing : null;
    });
    return last;
  }

  const scanned = (text: string) => heard([...text, ENTER]);

  it('takes fast characters that end with Enter for a scan', () => {
    expect(scanned('PZN-04114918')).toEqual({ kind: 'scan', code: 'PZN-04114918' });
    expect(heard([...'4006381333931', ENTER], SCAN_PAUSE_MS)).toMatchObject({ kind: 'scan' });
  });

  it('takes slower presses for a person, Enter included', () => {
    expect(heard([...'04114918', ENTER], SCAN_PAUSE_MS + 1)).toEqual({ kind: 'typed' });
    expect(heard(['g', 'o', ENTER])).toEqual({ kind: 'typed' });
    expect(heard([ENTER])).toEqual({ kind: 'typed' });
  });

  it('leaves Space to the button that has the focus, but not within a code', () => {
    expect(heard([' '])).toEqual({ kind: 'typed' });
    expect(heard(['a', ' '], SCAN_PAUSE_MS + 1)).toEqual({ kind: 'typed' });
    expect(scanned('Tee 20 g')).toEqual({ kind: 'scan', code: 'Tee 20 g' });
  });

  it('leaves presses with Ctrl, Alt or Meta, and compositions, to others', () => {
    expect(heard(['k'], 5, false)).toEqual({ kind: 'typed' });
    expect(heard([...'04114918', ENTER], 5, false)).toEqual({ kind: 'typed' });
  });

  it('reads umlauts in one form, composed or not, and trims spaces', () => {
    expect(scanned(' Tee-Größe Ü '.normalize('NFD'))).toEqual({ kind: 'scan', code: 'Tee-Größe Ü' });
  });

  it.each([
    ['a control character', [...'0411', '\u001d', ...'4918', ENTER]],
    ['a named key', [...'0411', 'Tab', ...'4918', ENTER]],
    ['more characters than a product id has', [...'1'.repeat(256), ENTER]],
  ])('shows garbage as such: %s', (_, keys) => {
    expect(heard(keys)).toEqual({ kind: 'garbage' });
  });

  it('stays small in memory, however much a broken scanner sends', () => {
    const last = heard([...'1'.repeat(10_000)]);
    expect(last.kind === 'waiting' && last.hearing.text.length).toBe(255);
  });

  it('shows a scan without Enter as garbage, and gives two keys back to the person', () => {
    const after = (text: string) => {
      const last = heard([...text]);
      if (last.kind !== 'waiting') throw new Error('nothing waits');
      return heardWithoutEnter(last.hearing);
    };
    expect(after('04114918')).toEqual({ kind: 'garbage' });
    expect(after('go')).toEqual({ kind: 'typed' });
  });
});
