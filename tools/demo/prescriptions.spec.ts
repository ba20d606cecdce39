import { countPages } from '../../apps/order-core/documents/documents/pdf-pages';
import { signatureOf } from '../../apps/order-core/documents/documents/pdf-signature';
import { makePerson, makePrescriber } from './people';
import { pdfText } from './pdf-writer';
import { PAPERS, type Prescription } from './prescription-forms';
import { prescriptionPdf } from './prescriptions';
import { readProducts } from './products';
import { Random } from './random';

function prescription(changes: Partial<Prescription> = {}): Prescription {
  const random = new Random('spec');
  const [product] = readProducts().filter(({ thc }) => thc !== null);
  if (!product) throw new Error('the catalog has no product with THC');
  return {
    seed: 'spec',
    paper: 'private',
    issuedOn: '2026-11-12',
    signature: 'hand',
    patient: makePerson(random, 1),
    prescriber: makePrescriber(random),
    lines: [{ product, quantity: 15, directions: '0,1 g abends' }],
    ...changes,
  };
}

it.each(PAPERS)('writes a small file on paper of kind %s, with equal bytes for equal content', (paper) => {
  const pdf = prescriptionPdf(prescription({ paper }));
  expect(pdf.equals(prescriptionPdf(prescription({ paper })))).toBe(true);
  expect(pdf.equals(prescriptionPdf(prescription({ paper, seed: 'other' })))).toBe(false);
  expect(pdf.length).toBeLessThan(paper === 'scan' ? 12_000 : 5_000);
  expect(countPages(pdf)).toBe(paper === 'three-pages' ? 3 : 1);
});

it.each([
  ['hand', 'none'],
  ['none', 'none'],
  ['digital', 'present'],
  ['altered', 'altered'],
] as const)('makes a file signed as %s, for which the check finds %s', (signature, found) => {
  expect(signatureOf(prescriptionPdf(prescription({ signature })))).toBe(found);
});

it('writes German letters in one byte each, and no letter that the fonts lack', () => {
  expect(Buffer.from(pdfText('Käthe Weiß, 5 € – „Öl“'), 'latin1').toString('hex')).toContain('4be4746865');
  expect(pdfText('(a\\b)')).toBe('\\(a\\\\b\\)');
  for (let number = 0; number < 500; number += 1) {
    const random = new Random(`person ${number}`);
    expect(pdfText(JSON.stringify([makePerson(random, number), makePrescriber(random)]))).not.toContain('?');
  }
});
