import { Refused } from '@offizin/contracts/calls/errors';
import { OrderRequestEnvelope, OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { validate } from '@offizin/operations/validate';
import { makePdf } from '@offizin/testkit/pdf';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { PAYLOAD_PDFS } from '@offizin/contracts/requests/request-documents';
import { parseLargeBody } from '../../documents/documents/parse-large-body';
import { isHttpsWithoutCredentials } from '../../documents/documents/pdf';
import { checkSubmission, linesOf, type Submission } from './submission';
import { linesTextOf } from './list-columns';

const SHOP = '0197a000-0000-7000-8000-000000000001';
const LINE = { name: 'Blüte', quantity: 2, price: 9.95 };
const TOKEN = { task_id: '160.000.033.491.280.78', access_code: '0123456789abcdef'.repeat(4) };
const PDF = makePdf().toString('base64');
const URL_OF_PDF = 'https://praxis.example/1.pdf';

function submit(payload: Record<string, unknown>, envelope: Record<string, unknown> = {}): Submission {
  const body = validate(OrderRequestEnvelope, { ...envelope, payload });
  const checked = validate(OrderRequestPayload, body.payload, { keepUnknown: true, prefix: 'payload' });
  return checkSubmission(body, checked, SHOP);
}

function refusal(payload: Record<string, unknown>): Refused {
  try {
    submit(payload);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

function fieldsRefused(payload: Record<string, unknown>): string[] {
  return (refusal(payload).details ?? []).map(({ field }) => field);
}

describe('a submission needs', () => {
  it.each([
    { customer_name: 'A', items: [LINE] },
    { customer_email: 'a@b.example', items: [LINE] },
    { customer_name: 'A', prescription_pdf_base64: PDF },
    { customer_name: 'A', items: [], prescription_pdf_url: 'https://a.example/r.pdf?x=1' },
    { customer_name: 'A', items: [{ p1_id: 'p', quantity: 1, price: 0 }] },
    { customer_name: 'A', items: [{ product_id: 'p', quantity: 1, price: 0 }] },
    { customer_name: 'A', e_prescription: TOKEN },
  ])('%j', (payload) => {
    expect(submit(payload).payload).toMatchObject({});
  });

  it('a customer, by name or e-mail', () => {
    for (const customer of [{}, { customer_name: '  ' }, { customer_name: null, customer_email: null }]) {
      expect(fieldsRefused({ ...customer, items: [LINE] })).toEqual(['payload.customer_name']);
    }
  });

  it('lines or a prescription', () => {
    for (const lines of [{}, { items: [] }]) {
      expect(fieldsRefused({ customer_name: 'A', ...lines })).toEqual(['payload.items']);
    }
  });

  it('a name or a product in each line', () => {
    const bare = { quantity: 1, price: 1 };
    expect(fieldsRefused({ items: [bare, LINE, { ...bare, name: ' ' }] })).toEqual([
      'payload.customer_name',
      'payload.items[0]',
      'payload.items[2]',
    ]);
  });
});

it('refuses qty and names quantity instead', () => {
  const { details } = refusal({ customer_name: 'A', items: [{ name: 'x', qty: 1, price: 1 }] });
  const problem = (details ?? []).find(({ field }) => field === 'payload.items[0].qty');
  expect(problem?.message).toContain('use quantity');
});

it.each([
  'http://a.example/r.pdf',
  'https://u:p@a.example/',
  'https://u@a.example/',
  'ftp://a',
  'file:///etc/passwd',
  'r',
  '',
])('refuses the prescription URL %s', (prescription_pdf_url) => {
  expect(fieldsRefused({ customer_name: 'A', prescription_pdf_url })).toEqual([
    'payload.prescription_pdf_url',
  ]);
});

it('refuses an empty id, an alias with another value, and more of one product than an order may have', () => {
  const line = (more: object) => ({ quantity: 1, price: 1, name: 'Öl', ...more });
  const refused = (...items: object[]) => fieldsRefused({ customer_name: 'A', items });
  expect(refused(line({ p1_id: '' }))).toEqual(['payload.items[0].p1_id']);
  expect(refused(line({ product_id: '' }))).toEqual(['payload.items[0].product_id']);
  expect(refused(line({ p1_id: 'a', product_id: 'b' }))).toEqual(['payload.items[0].product_id']);
  const most = line({ p1_id: 'a', quantity: 1_000_000 });
  expect(refused(most, line({ product_id: 'a' }))).toEqual(['payload.items[1]']);
  const items = [most, line({ p1_id: 'b', product_id: 'b', quantity: 1_000_000 })];
  expect(submit({ customer_name: 'A', items }).list.lineCount).toBe(2);
});

it.each([
  [{ patient_birth_date: '1985-02-30' }, 'patient_birth_date'],
  [{ patient_birth_date: '2026-01-02' }, 'patient_birth_date'],
  [{ patient_birth_date: 19850101 }, 'patient_birth_date'],
  [{ prescription_date: '01.02.2026' }, 'prescription_date'],
  [{ prescriber: 'Dr. Ada' }, 'prescriber'],
  [{ prescriber: { number: '123456501' } }, 'prescriber.number'],
  [{ prescriber: { number: '12345660' } }, 'prescriber.number'],
  [{ prescriber: { name: 7 } }, 'prescriber.name'],
  [{ items: [{ ...LINE, dosage: 'x'.repeat(256) }] }, 'items[0].dosage'],
  [{ e_prescription: { ...TOKEN, task_id: '160.000.033.491.280.79' } }, 'e_prescription.task_id'],
  [{ e_prescription: { ...TOKEN, task_id: '160000033491280 78' } }, 'e_prescription.task_id'],
  [{ e_prescription: { ...TOKEN, access_code: 'g'.repeat(64) } }, 'e_prescription.access_code'],
  [{ e_prescription: { task_id: TOKEN.task_id } }, 'e_prescription.access_code'],
])('refuses %j and names the field', (wrong, field) => {
  // In Berlin it is the first of January, 00:30.
  jest.useFakeTimers({ now: Date.parse('2025-12-31T23:30:00Z') });
  expect(fieldsRefused({ customer_name: 'A', items: [LINE], ...wrong })).toEqual([`payload.${field}`]);
  jest.useRealTimers();
});

it('takes what a prescription says, and keeps the access code out of the payload', () => {
  jest.useFakeTimers({ now: Date.parse('2025-12-31T23:30:00Z') });
  const prescriber = { name: 'Dr. Ada', postal_code: '04109', number: '123456601', phone: null };
  const said = { patient_birth_date: '2026-01-01', prescription_date: '2026-02-01', prescriber };
  const sent = { customer_name: 'A', items: [{ ...LINE, dosage: '1-0-1' }], ...said };
  const { payload, ePrescription } = submit({ ...sent, e_prescription: TOKEN });
  jest.useRealTimers();
  expect(payload).toEqual({ ...sent, e_prescription: { task_id: TOKEN.task_id } });
  expect(ePrescription).toEqual(TOKEN);
});

it('takes null for each optional field as left out', () => {
  const fields =
    'customer_email customer_id address_street address_city address_postal_code address_phone shipping_option ' +
    'cash_on_pickup payment_status payment_reference total_amount prescription_pdf_url documents ' +
    'patient_birth_date prescription_date prescriber e_prescription';
  const nothing = Object.fromEntries(fields.split(' ').map((field) => [field, null]));
  expect(submit({ ...nothing, customer_name: 'A', items: [LINE] }).totalAmount).toBe(19.9);
  const payload = { ...nothing, customer_name: 'A', items: null, prescription_pdf_base64: PDF };
  expect(submit(payload)).toMatchObject({ totalAmount: 0, list: { lineCount: 0 } });
});

it('refuses a document that is not a PDF, and uses a separate code for one that is too large', () => {
  for (const prescription_pdf_base64 of ['abc', ''])
    expect(fieldsRefused({ customer_name: 'A', prescription_pdf_base64 })).toEqual([
      'payload.prescription_pdf_base64',
    ]);
  const large = 'A'.repeat(14_000_000);
  expect(refusal({ customer_name: 'A', prescription_pdf_base64: large }).code).toBe('payload_too_large');
});

it('stores the whole payload with unknown keys, without the documents', () => {
  const payload = { customer_name: 'A', items: [LINE], questionnaire: { q1: ['x', null, { deep: true }] } };
  const listed = [{ kind: 'identity', pdf_url: URL_OF_PDF, name: 'Ausweis' }];
  const sent = submit({ ...payload, prescription_pdf_base64: PDF, documents: listed });
  expect(sent.payload).toEqual(payload);
  expect(sent.documents).toMatchObject([
    { role: 'first', kind: 'prescription', name: null, sent: { kind: 'pdf', pdf: { bytes: makePdf() } } },
    { role: 'listed', kind: 'identity', name: 'Ausweis', sent: { kind: 'url', url: URL_OF_PDF } },
  ]);
});

it('defaults the source to the shop and the total to the sum of the lines', () => {
  expect(submit({ customer_name: 'A', items: [LINE] })).toMatchObject({
    source: `shop:${SHOP}`,
    externalReference: null,
    totalAmount: 19.9,
  });
  const named = submit(
    { customer_name: 'A', items: [LINE], total_amount: 25 },
    { source: 's', external_reference: 'r' },
  );
  expect(named).toMatchObject({ source: 's', externalReference: 'r', totalAmount: 25 });
});

it('accepts product_id as an alias; p1_id wins', () => {
  const lines = [
    { quantity: 1, price: 1, product_id: 'b' },
    { quantity: 1, price: 1, product_id: 'b', p1_id: 'a' },
  ];
  expect(linesOf({ items: lines }).map(({ p1_id }) => p1_id)).toEqual(['b', 'a']);
});

it('treats a document that was extracted from the body like one in the payload', () => {
  const pdf = Buffer.concat([makePdf(), Buffer.alloc(3_000)]).toString('base64');
  const payload = { customer_name: 'A', prescription_pdf_base64: pdf };
  const documents = [
    { kind: 'identity', pdf_base64: pdf },
    { kind: 'other', pdf_base64: PDF },
  ];
  for (const [sent, rest] of [
    [payload, { customer_name: 'A' }],
    [
      { ...payload, documents },
      { customer_name: 'A', documents: [{ kind: 'identity' }, documents[1]] },
    ],
  ] as const) {
    const apart = parseLargeBody(Buffer.from(JSON.stringify({ payload: sent })), PAYLOAD_PDFS);
    const left = (JSON.parse(apart.json) as { payload: Record<string, unknown> }).payload;
    expect(left).toEqual(rest);
    const body = validate(OrderRequestEnvelope, { payload: left });
    const checked = validate(OrderRequestPayload, left, { keepUnknown: true });
    const rules = { handedIn: apart.documents, takesUrl: isHttpsWithoutCredentials };
    const now = checkSubmission(body, checked, SHOP, rules);
    expect(now).toEqual(submit(sent));
    expect(now.documents[0]?.sent.kind).toBe('pdf');
  }
});

describe('the digest', () => {
  const base = { customer_name: 'A', items: [LINE], further: { x: 1, y: [1, 2] } };
  const digest = (payload: Record<string, unknown>, envelope = {}) =>
    submit(payload, envelope).digest.toString('hex');

  it('does not depend on the order of keys or on the reference', () => {
    const turned = {
      further: { y: [1, 2], x: 1 },
      items: [{ price: 9.95, quantity: 2, name: 'Blüte' }],
      customer_name: 'A',
    };
    expect(digest(turned)).toBe(digest(base));
    expect(digest(base, { external_reference: 'r' })).toBe(digest(base));
  });

  it.each([
    { ...base, customer_name: 'B' },
    { ...base, items: [{ ...LINE, quantity: 3 }] },
    { ...base, items: [LINE, LINE] },
    { ...base, further: { x: 1, y: [2, 1] } },
    { ...base, further: { x: '1', y: [1, 2] } },
    { ...base, more: null },
    { ...base, prescription_pdf_base64: PDF },
  ])('depends on the content: %j', (payload) => {
    expect(digest(payload)).not.toBe(digest(base));
  });

  it('does not depend on known fields that are null', () => {
    const prescriber = { name: 'Dr. Ada', phone: null };
    const nulls = {
      ...base,
      customer_email: null,
      prescription_pdf_base64: null,
      items: [{ ...LINE, p1_id: null }],
      prescriber,
    };
    expect(digest(nulls)).toBe(digest({ ...base, prescriber: { name: 'Dr. Ada' } }));
  });

  it('depends on the source', () => {
    expect(digest(base, { source: 's' })).not.toBe(digest(base));
  });
});

describe('canonicalJson', () => {
  it('sorts keys at every depth and keeps the order of lists', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 3], a: { f: null, e: 'ä"' } })).toBe(
      '{"a":{"e":"ä\\"","f":null},"b":[{"c":2,"d":1},3]}',
    );
  });

  it('distinguishes values that only look alike', () => {
    const values = [
      { a: 1 },
      { a: '1' },
      [1],
      ['1'],
      '1',
      1,
      null,
      'null',
      {},
      [],
      '',
      { a: { b: 1 } },
      { 'a:{"b"': 1 },
    ];
    expect(new Set(values.map(canonicalJson)).size).toBe(values.length);
  });

  it('parses to an equal value', () => {
    const value = { z: [1, { y: 'x', '': -0.5 }], '2': true, '10': false, é: null };
    expect(JSON.parse(canonicalJson(value))).toEqual(value);
  });
});

const line = (quantity: number, name: string | null, p1_id: string | null = null) => ({
  quantity,
  name,
  p1_id,
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
