import { Refused } from '@offizin/contracts/calls/errors';
import { OrderRequestEnvelope, OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { validate } from '@offizin/operations/validate';
import { makePdf } from '@offizin/testkit/pdf';
import { checkSubmission, type Submission } from './submission';

const SHOP = '0197a000-0000-7000-8000-000000000001';
const LINE = { name: 'Blüte', quantity: 2, price: 9.95 };
const PDF = makePdf().toString('base64');
const URL_OF_PDF = 'https://praxis.example/1.pdf';

function submit(payload: Record<string, unknown>): Submission {
  const body = validate(OrderRequestEnvelope, { payload });
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

describe('documents of the payload', () => {
  const identity = { kind: 'identity', pdf_base64: PDF };
  const withList = (documents: unknown, more: object = {}) => ({
    customer_name: 'A',
    items: [LINE],
    documents,
    ...more,
  });

  it('count as a prescription where one of them is one', () => {
    const only = (kind: string) => ({ customer_name: 'A', documents: [{ ...identity, kind }] });
    expect(submit(only('prescription')).documents).toHaveLength(1);
    expect(fieldsRefused(only('identity'))).toEqual(['payload.items']);
  });

  it.each<[string, unknown, string[]]>([
    ['no list', identity, ['payload.documents']],
    ['an empty list', [], ['payload.documents']],
    ['six', Array.from({ length: 6 }, () => identity), ['payload.documents']],
    ['another kind', [{ ...identity, kind: 'selfie' }], ['payload.documents[0].kind']],
    ['no kind', [{ pdf_base64: PDF }], ['payload.documents[0].kind']],
    ['neither bytes nor URL', [identity, { kind: 'other' }], ['payload.documents[1].pdf_base64']],
    ['both', [{ ...identity, pdf_url: URL_OF_PDF }], ['payload.documents[0].pdf_base64']],
    ['no PDF', [identity, { kind: 'other', pdf_base64: 'AAAA' }], ['payload.documents[1].pdf_base64']],
    [
      'a URL that is none',
      [{ kind: 'other', pdf_url: 'http://a.example' }],
      ['payload.documents[0].pdf_url'],
    ],
    [
      'unknown keys',
      [{ ...identity, pages: 1, note: 'x' }],
      ['pages', 'note'].map((key) => `payload.documents[0].${key}`),
    ],
    ['an empty name', [{ ...identity, name: '' }], ['payload.documents[0].name']],
  ])('refuses %s', (_, documents, fields) => {
    expect(fieldsRefused(withList(documents))).toEqual(fields);
  });

  it('refuses a list of texts', () => {
    expect(fieldsRefused(withList([PDF]))[0]).toBe('payload.documents');
  });

  it('are at most five with the PDF of the payload, and one that is too large is a 413', () => {
    const five = Array.from({ length: 5 }, () => identity);
    expect(submit(withList(five)).documents).toHaveLength(5);
    expect(submit(withList(five.slice(1), { prescription_pdf_url: URL_OF_PDF })).documents).toHaveLength(5);
    expect(fieldsRefused(withList(five, { prescription_pdf_base64: PDF }))).toEqual(['payload.documents']);
    const large = { kind: 'other', pdf_base64: 'A'.repeat(14_000_000) };
    expect(refusal(withList([large])).code).toBe('payload_too_large');
  });

  it('are compared by kind, name and decoded bytes, in their order', () => {
    const digest = (documents: unknown, more: object = {}) =>
      submit(withList(documents, more)).digest.toString('hex');
    const other = {
      kind: 'other',
      pdf_base64: Buffer.concat([makePdf(), Buffer.from('\n')]).toString('base64'),
    };
    const same = digest([identity, other]);
    const wrapped = `data:application/pdf;base64,\n${PDF.replace(/=+$/, '')}`;
    expect(digest([{ ...identity, pdf_base64: wrapped, name: null, pdf_url: null }, other])).toBe(same);
    const different = [
      digest([other, identity]),
      digest([identity]),
      digest([identity, { ...other, kind: 'identity' }]),
      digest([identity, { ...other, name: 'Befund' }]),
      digest([identity, { kind: 'other', pdf_url: URL_OF_PDF }]),
      digest([identity], { prescription_pdf_base64: other.pdf_base64 }),
      digest(null),
    ];
    expect(new Set([same, ...different]).size).toBe(different.length + 1);
    const without = submit({ customer_name: 'A', items: [LINE] });
    expect(digest(null)).toBe(without.digest.toString('hex'));
  });
});

it('stores amounts without binary noise, and 0.3 is the same as 0.30000000000000004', () => {
  const [noisy, exact] = [0.1 + 0.2, 0.3].map((amount) =>
    submit({ customer_name: 'A', total_amount: amount, items: [{ ...LINE, price: amount, more: 1 }] }),
  );
  expect(noisy?.payload).toEqual(exact?.payload);
  expect(JSON.stringify(noisy?.payload)).not.toContain('0.30000000000000004');
  expect(noisy?.digest).toEqual(exact?.digest);
});
