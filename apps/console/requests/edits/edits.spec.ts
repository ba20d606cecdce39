import type { ReviewDetail, ReviewLine } from '@offizin/contracts/requests/review';
import {
  addedLine,
  type Draft,
  draftOf,
  followedTotal,
  matchedTo,
  readDraft,
  readQuantity,
} from './edit-form';
import { bodyOf, type Editable, takenEdits, withEdits, withoutEdit } from './edits';
import { editsOfFirst } from './first-approval';
import { formatsFor } from '../../text/formats';
import { compareVersions, furtherFields } from './version-diff';

it('keeps of the edits of an erased request those that say nothing about its customer', () => {
  const edits = { customer_name: 'Anna', address_phone: null, total_amount: 7, shipping_option: null };
  expect(takenEdits({ erased_at: null }, edits)).toBe(edits);
  const kept = { total_amount: 7, shipping_option: null };
  expect(takenEdits({ erased_at: '2026-03-01T10:00:00.000Z' }, edits)).toEqual(kept);
});

describe('the form of an edit', () => {
  const line = (name: string, quantity: number, price: number): ReviewLine => ({
    name,
    quantity,
    price,
    p1_id: null,
    in_inventory: false,
    product_name: null,
    category: null,
    thc: null,
    cbd: null,
    available: null,
    catalog_price: null,
  });
  const sent: Editable = {
    customer_name: 'Anna Anders',
    total_amount: 11.95,
    payload: { customer_name: 'Anna Anders', address_city: 'Berlin', shipping_option: 'Versand' },
    lines: [line('Salbe', 2, 3.5)],
  };
  const draft = (change: Partial<Draft> = {}): Draft => ({
    ...draftOf(sent, {}, (euros) => euros.toFixed(2)),
    ...change,
  });
  const withQuantity = (quantity: string): Draft['lines'] =>
    draft().lines.map((each) => ({ ...each, quantity }));

  it.each([
    ['15', 15],
    [' 1 ', 1],
    ['0', null],
    ['1,5', null],
    ['-2', null],
    ['1000001', null],
  ])('reads the quantity %p as %p', (text, quantity) => {
    expect(readQuantity(text)).toBe(quantity);
  });

  it('finds no change in an untouched form', () => {
    expect(readDraft(sent, draft())).toEqual({ edits: {} });
  });

  it('keeps what the lines do not explain, such as the delivery, when a quantity changes', () => {
    const lines = withQuantity('1');
    expect(followedTotal(sent, draft({ lines }))).toBe(8.45);
    const read = readDraft(sent, draft({ lines }));
    expect(read).toEqual({ edits: { lines: [line('Salbe', 1, 3.5)], total_amount: 8.45 } });
  });

  it('sends null for a field that was emptied, and pieces as the API names them', () => {
    const texts = { ...draft().texts, address_city: ' ' };
    const read = readDraft(sent, draft({ texts, lines: withQuantity('3'), shipping: null }));
    expect('edits' in read && bodyOf(read.edits, withEdits(sent, read.edits))).toEqual({
      address_city: null,
      shipping_option: null,
      items: [{ name: 'Salbe', p1_id: null, qty: 3, price: 3.5 }],
      total_amount: 15.45,
    });
  });

  it('names each mistake by the field of the API', () => {
    const texts = { ...draft().texts, customer_name: '', customer_email: 'no address' };
    expect(readDraft(sent, draft({ texts, lines: withQuantity('none'), total: 'much' }))).toEqual({
      mistakes: {
        'items[0].qty': 'quantity',
        customer_email: 'email',
        customer_name: 'empty',
        total_amount: 'money',
      },
    });
    const lines = draft().lines.map((each) => ({ ...each, isRemoved: true }));
    expect(readDraft(sent, draft({ lines }))).toEqual({ mistakes: { items: 'no_lines' } });
  });

  it('shows a removed line again when the form is reopened', () => {
    const two = { ...sent, lines: [line('Salbe', 2, 3.5), line('Tee', 1, 4)] };
    const opened = draftOf(two, { lines: [line('Tee', 1, 4)] }, String);
    expect(opened.lines.map(({ line: { name }, isRemoved }) => [name, isRemoved])).toEqual([
      ['Tee', false],
      ['Salbe', true],
    ]);
  });

  it('sends the total that is shown, also after its own change was taken back', () => {
    const edits = withoutEdit({ lines: [line('Salbe', 1, 3.5)], total_amount: 8.45 }, 'total_amount');
    expect(bodyOf(edits, withEdits(sent, edits))).toMatchObject({ total_amount: 11.95 });
    expect(draftOf(sent, edits, String).total).toBe('11.95');
  });

  it('takes the total back together with the lines', () => {
    const edits = { lines: [line('Salbe', 1, 3.5)], total_amount: 8.45, address_city: null };
    expect(withoutEdit(edits, 'lines')).toEqual({ address_city: null });
  });

  it('shows stock that was read after the edit', () => {
    const stocked = { ...line('Salbe', 2, 3.5), p1_id: 'p1', available: 5 };
    const shown = withEdits(
      { ...sent, lines: [stocked] },
      { lines: [{ ...stocked, quantity: 9, available: 100 }] },
    );
    expect(shown.lines).toEqual([{ ...stocked, quantity: 9 }]);
  });

  it('a product takes the place of a line, or comes as a new one at its own price', () => {
    const product = {
      p1_id: 'p1',
      in_inventory: true,
      name: 'Rosen-Salbe',
      category: null,
      thc: '22',
      cbd: null,
      available: 4,
      price: 9.5,
    };
    const lines = draft().lines.map((each) => ({ ...each, line: matchedTo(each.line, product) }));
    const read = readDraft(sent, draft({ lines: [...lines, addedLine(product, String)] }));
    if ('mistakes' in read) throw new Error('nothing was wrong');
    expect(bodyOf(read.edits, withEdits(sent, read.edits)).items).toEqual([
      { name: 'Rosen-Salbe', p1_id: 'p1', qty: 2, price: 3.5 },
      { name: 'Rosen-Salbe', p1_id: 'p1', qty: 1, price: 9.5 },
    ]);
    expect(withEdits(sent, read.edits).lines[0]).toMatchObject({
      thc: '22',
      available: 4,
      catalog_price: 9.5,
    });
    expect(read.edits.total_amount).toBe(21.45);
  });
});

describe('edits of the first approval', () => {
  const LINE = { p1_id: 'p', name: 'Salbe', quantity: 2, price: 5 };
  const SENT = {
    status: 'pending',
    payload: { customer_name: 'Anna' },
    customer_name: 'Anna',
    total_amount: 10,
  };

  function waiting(approved: Record<string, unknown> | null, lines: object[] | null = null): ReviewDetail {
    const corrections = approved && { sent: {}, approved };
    return { ...SENT, lines: [LINE], first_approval: { corrections, lines } } as never;
  }

  it('has the second person approve what the first has changed, and nothing else', () => {
    const detail = waiting({ customer_name: 'Erika', address_city: null, items: [] }, [
      { ...LINE, quantity: 1 },
    ]);
    const edits = editsOfFirst(detail) ?? {};
    expect(withEdits(detail, edits)).toMatchObject({ customer_name: 'Erika', lines: [{ quantity: 1 }] });
    expect(bodyOf(edits, withEdits(detail, edits))).toEqual({
      customer_name: 'Erika',
      address_city: null,
      items: [{ p1_id: 'p', name: 'Salbe', qty: 1, price: 5 }],
      total_amount: 10,
    });
  });

  it('has no changes without corrections, without a first approval, and after the second', () => {
    expect(editsOfFirst(waiting(null))).toBeNull();
    expect(editsOfFirst({ ...waiting(null), first_approval: null })).toBeNull();
    expect(editsOfFirst({ ...waiting({ customer_name: 'Erika' }), status: 'approved' })).toBeNull();
  });
});

describe('versions', () => {
  const words = { yes: 'ja', no: 'nein', payment: { pending: 'unbezahlt' } };
  const read = { formats: formatsFor('de', 'Europe/Berlin'), words };

  it('names what was added, removed and changed, and nothing else', () => {
    const items = [{ name: 'Bediol', quantity: 5, price: 8.2 }];
    const before = { customer_name: 'A', address_city: 'Köln', items, note: null };
    const after = { customer_name: 'B', items: [{ ...items[0], quantity: 10 }], address_phone: '1' };
    expect(compareVersions(before, after, read)).toEqual([
      { field: 'customer_name', from: 'A', to: 'B' },
      { field: 'address_city', from: 'Köln', to: '' },
      { field: 'items', from: '5 × Bediol (8,20\u00a0€)', to: '10 × Bediol (8,20\u00a0€)' },
      { field: 'address_phone', from: '', to: '1' },
    ]);
    expect(compareVersions(before, before, read)).toEqual([]);
  });

  it('speak the language of the reader in every field that the partner added, and leave ids alone', () => {
    const items = [{ name: 'Bediol', quantity: 1, list_price: 1234.5 }];
    const payload = {
      payment_status: 'pending',
      cash_on_pickup: false,
      weight: 0.25,
      copay_amount: 5,
      items,
    };
    const metadata = { case: 20260101, until: '2026-12-31', payment_status: 'constructor' };
    const { fields, metadata: further } = furtherFields({ payload, metadata }, read);
    const valuesOf = (rows: typeof fields) => rows.map(({ field, value }) => `${field} ${value}`);
    expect(valuesOf(fields)).toEqual([
      'payment_status unbezahlt',
      'cash_on_pickup nein',
      'weight 0,25',
      'copay_amount 5,00\u00a0€',
      'list_price 1.234,50\u00a0€',
    ]);
    expect(valuesOf(further)).toEqual(['case 20260101', 'until 31.12.2026', 'payment_status constructor']);
  });
});
