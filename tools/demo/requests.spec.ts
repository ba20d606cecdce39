import { type DemoRequest, makeRequest, PLANTED_CASES } from './requests';
import { readProducts } from './products';

const NOW = new Date('2026-11-23T08:00:00Z');
const products = readProducts();

function planted(reference: string): DemoRequest {
  const wish = PLANTED_CASES.find((row) => row.reference === reference);
  if (!wish) throw new Error(`no planted case ${reference}`);
  return makeRequest(wish, products, NOW);
}

it('has 60 products, 12 of them with THC and CBD', () => {
  expect(products).toHaveLength(60);
  expect(products.filter(({ thc, cbd }) => thc !== null && cbd !== null)).toHaveLength(12);
});

it('makes the same request of the same reference and time', () => {
  for (const wish of PLANTED_CASES)
    expect(makeRequest(wish, products, NOW)).toEqual(makeRequest(wish, products, NOW));
});

it('names each planted case once, and states what it shows', () => {
  expect(new Set(PLANTED_CASES.map(({ reference }) => reference)).size).toBe(PLANTED_CASES.length);
  for (const { reference, shows } of PLANTED_CASES) expect([reference, shows]).not.toContain('');
});

it('plants the same file twice with two customers, and two requests of one customer', () => {
  const [first, second] = [planted('DEMO-SAME-FILE-1').payload, planted('DEMO-SAME-FILE-2').payload];
  expect(second['prescription_pdf_base64']).toBe(first['prescription_pdf_base64']);
  expect(second['customer_email']).not.toBe(first['customer_email']);
  const [once, again] = [planted('DEMO-SAME-CUSTOMER-1').payload, planted('DEMO-SAME-CUSTOMER-2').payload];
  expect(again['customer_email']).toBe(once['customer_email']);
  expect(again['prescription_pdf_base64']).not.toBe(once['prescription_pdf_base64']);
});

it('plants a request without a document and one with a link', () => {
  expect(Object.keys(planted('DEMO-NO-DOCUMENT').payload).filter((key) => key.includes('pdf'))).toEqual([]);
  expect(planted('DEMO-FAILED-LINK').payload['prescription_pdf_url']).toMatch(/^https:.*\.example\//);
});

it('uses e-mail addresses that cannot exist', () => {
  for (let number = 0; number < 300; number += 1) {
    const wish = { reference: `R-${number}`, ageMinutes: number, document: 'none' as const };
    expect(String(makeRequest(wish, products, NOW).payload['customer_email'])).toMatch(
      /^[a-z0-9.@-]+\.example$/,
    );
  }
});
