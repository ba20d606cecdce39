import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { Refused } from '@offizin/contracts/calls/errors';
import { PrescriptionIngestRequest, RECEIPT_KEY } from '@offizin/contracts/requests/prescriptions';
import { validate } from '@offizin/operations/validate';
import { makePdf } from '@offizin/testkit/pdf';
import { parseLargeBody } from '../../documents/documents/parse-large-body';
import { checkIngestion, shopOfIngest } from './ingestion';

const TASK = '160.000.033.491.280.78';
const EMAIL = { 'Customer Email': 'erika@example.org' };

function bodyOf(keys: Record<string, unknown>): PrescriptionIngestRequest {
  return validate(PrescriptionIngestRequest, { ...EMAIL, ...keys }, { keepUnknown: true });
}

function problemsOf(work: () => unknown): ErrorBody['details'] {
  try {
    work();
  } catch (error) {
    if (error instanceof Refused) return error.details;
    throw error;
  }
  throw new Error('was not refused');
}

function fieldsOf(keys: Record<string, unknown>): string[] {
  return problemsOf(() => checkIngestion(bodyOf(keys)))?.map(({ field }) => field) ?? [];
}

it('keeps every key, unknown ones included, and extracts the customer', () => {
  const keys = {
    'Customer First Name': 'Erika',
    'Customer Last Name': 'Mustermann',
    'Order Total Amount': 12.5,
    'Questionnaire Pain Level': { scale: [1, 2] },
    'Product 1 Service Product Id': 'P1',
  };
  const ingestion = checkIngestion(bodyOf(keys));
  expect(ingestion.data).toEqual({ ...EMAIL, ...keys });
  expect(ingestion).toMatchObject({ totalAmount: 12.5, externalId: null, receipt: null });
  expect(ingestion.summary).toEqual({
    external_id: null,
    customer_email: 'erika@example.org',
    customer_first_name: 'Erika',
    customer_last_name: 'Mustermann',
  });
});

it.each([
  [{ 'Customer Email': 'erika' }, ['Customer Email']],
  [{ 'Customer Email': undefined }, ['Customer Email']],
  [{ 'Customer Email': null, 'Customer First Name': ' ' }, ['Customer Email']],
  [{ 'Patient Birth Date': '2100-01-01' }, ['Patient Birth Date']],
  [{ 'Prescription Date': 'today' }, ['Prescription Date']],
  ...['Patient Birth Date', 'Prescription Date', 'Prescriber Number', 'E Prescription Task Id'].map(
    (key): [Record<string, unknown>, string[]] => [{ [key]: '' }, [key]],
  ),
  [{ 'Prescriber Number': '123456501', 'Prescriber City': 7 }, ['Prescriber City', 'Prescriber Number']],
  [{ 'Product 2 Dosage': {} }, ['Product 2 Dosage']],
  [{ 'E Prescription Task Id': '160.000.033.491.280.79' }, ['E Prescription Task Id']],
  [{ 'E Prescription Task Id': TASK }, ['E Prescription Access Code']],
  [{ 'E Prescription Access Code': 'a'.repeat(64) }, ['E Prescription Task Id']],
  [{ 'Order Total Amount': '12.50' }, ['Order Total Amount']],
  [{ 'Order Total Amount': 12.345, 'Product 2 Quantity': 0 }, ['Order Total Amount', 'Product 2 Quantity']],
  [{ 'Product 3 Price': -1 }, ['Product 3 Price']],
  [{ 'Customer First Name': 7 }, ['Customer First Name']],
  [{ 'External Id': {} }, ['External Id']],
  [{ 'Id Card Front Url': 'http://example.org/id.png' }, ['Id Card Front Url']],
  [{ [RECEIPT_KEY]: 'http://example.org/r.pdf' }, [RECEIPT_KEY]],
  [{ [RECEIPT_KEY]: 'https://user:secret@example.org/r.pdf' }, [RECEIPT_KEY]],
  [{ [RECEIPT_KEY]: `https://example.org/${'a'.repeat(2048)}` }, [RECEIPT_KEY]],
  [{ [RECEIPT_KEY]: Buffer.from('no pdf').toString('base64') }, [RECEIPT_KEY]],
  [{ [RECEIPT_KEY]: '' }, [RECEIPT_KEY]],
  [{ [RECEIPT_KEY]: '%%%', 'Id Card Front Url': 'x' }, ['Id Card Front Url', RECEIPT_KEY]],
])('refuses %j and names the keys', (keys, fields) => {
  expect(fieldsOf(keys)).toEqual(fields);
});

it('accepts the receipt as a URL, as base64 and as a data URL; only the URL stays in the data', () => {
  const url = 'https://example.org/receipt.pdf?signature=abc';
  const byUrl = checkIngestion(bodyOf({ [RECEIPT_KEY]: url }));
  expect(byUrl.receipt).toEqual({ kind: 'url', url });
  expect(byUrl.data[RECEIPT_KEY]).toBe(url);
  const pdf = makePdf();
  for (const prefix of ['', 'data:application/pdf;base64,']) {
    const byPdf = checkIngestion(bodyOf({ [RECEIPT_KEY]: prefix + pdf.toString('base64') }));
    expect(byPdf.receipt).toMatchObject({ kind: 'pdf', pdf: { bytes: pdf } });
    expect(byPdf.data).not.toHaveProperty(RECEIPT_KEY);
  }
});

it('treats a receipt that was extracted from the body like one in the body', () => {
  const sent = {
    ...EMAIL,
    [RECEIPT_KEY]: Buffer.concat([makePdf(), Buffer.alloc(3_000)]).toString('base64'),
  };
  const { json, documents } = parseLargeBody(Buffer.from(JSON.stringify(sent)), [[RECEIPT_KEY]]);
  expect(JSON.parse(json)).toEqual(EMAIL);
  const now = checkIngestion(bodyOf({}), documents.get(RECEIPT_KEY));
  expect(now).toEqual(checkIngestion(bodyOf(sent)));
  expect(now.receipt?.kind).toBe('pdf');
});

it('takes a name without an e-mail address, and what a prescription says', () => {
  const said = {
    'Patient Birth Date': '1985-02-28',
    'Prescriber Number': '123456601',
    'Prescription Date': null,
  };
  const body = bodyOf({ 'Customer Email': undefined, 'Customer Last Name': 'Mustermann', ...said });
  expect(checkIngestion(body)).toMatchObject({ customerEmail: null, data: said });
});

it('keeps the access code out of the data; another code is another body', () => {
  const of = (code: string) =>
    checkIngestion(bodyOf({ 'E Prescription Task Id': TASK, 'E Prescription Access Code': code.repeat(64) }));
  expect(of('a').ePrescription).toEqual({ task_id: TASK, access_code: 'a'.repeat(64) });
  expect(of('a').data).toEqual({ ...EMAIL, 'E Prescription Task Id': TASK });
  expect(of('a').identity).not.toBe(of('b').identity);
});

it('treats empty text and null in optional keys as missing', () => {
  const body = bodyOf({ 'External Id': '', 'Order Total Amount': null, [RECEIPT_KEY]: null, 'Shop Id': '' });
  expect(checkIngestion(body)).toMatchObject({ externalId: null, totalAmount: null, receipt: null });
  expect(shopOfIngest(body, 'shop')).toBe('shop');
});

describe('the identity of a body', () => {
  const identityOf = (keys: Record<string, unknown>) => checkIngestion(bodyOf(keys)).identity;

  it('does not depend on the order of keys or on where the shop was given', () => {
    expect(identityOf({ A: 1, B: { c: 2, d: 3 } })).toBe(identityOf({ B: { d: 3, c: 2 }, A: 1 }));
    expect(identityOf({ A: 1, 'Shop Id': 'shop' })).toBe(identityOf({ A: 1 }));
  });

  it('depends on every other value, the receipt included', () => {
    const receipt = (title: string) => ({ [RECEIPT_KEY]: makePdf(title).toString('base64') });
    const identities = [{}, { A: 1 }, { A: '1' }, { A: null }, receipt('one'), receipt('two')].map(
      identityOf,
    );
    expect(new Set(identities).size).toBe(identities.length);
  });
});

describe('the shop', () => {
  it('comes from the query, the body, or both when they agree', () => {
    expect(shopOfIngest(bodyOf({}), 'a')).toBe('a');
    expect(shopOfIngest(bodyOf({ 'Shop Id': 'a' }), undefined)).toBe('a');
    expect(shopOfIngest(bodyOf({ 'Shop Id': null }), 'a')).toBe('a');
  });

  it('is required and must be unambiguous', () => {
    for (const [keys, query] of [[{}, undefined] as const, [{ 'Shop Id': 'a' }, 'b'] as const]) {
      expect(problemsOf(() => shopOfIngest(bodyOf(keys), query))?.[0]?.field).toBe('Shop Id');
    }
  });
});
