import { formatsFor } from '../text/formats';
import { prescriptions } from './prescriptions.de';
import { submittedFields } from './submitted-fields';

const reader = {
  texts: prescriptions,
  formats: formatsFor('de', 'Europe/Berlin'),
  shopName: (id: string) => (id === 's1' ? 'Markt-Apotheke' : null),
};

function read(data: Record<string, unknown>): string[] {
  return submittedFields(data, reader).map(
    ({ name, value }) => `${name}: ${value.replaceAll('\u00a0', ' ')}`,
  );
}

it('names the fields of the contract in the language of the reader', () => {
  expect(
    read({
      'Shop Id': 's1',
      'Customer First Name': 'Anna',
      'Order Total Amount': 142.5,
      'Product 2 Service Product Id': 'P-1',
      'Product 2 Price': 9.5,
      'Product 2 Quantity': 15,
    }),
  ).toEqual([
    'Shop: Markt-Apotheke',
    'Vorname: Anna',
    'Summe: 142,50 €',
    'Produkt 2, Produktnummer: P-1',
    'Produkt 2, Einzelpreis: 9,50 €',
    'Produkt 2, Menge: 15',
  ]);
});

it('keeps the names of all other fields, and shows lists and objects as words', () => {
  expect(
    read({
      constructor: 'x',
      'Further Answers': { allergies: ['keine', 'Pollen'], smoker: false, weight: 70.5, since: '2026-03-01' },
      'Shop Id': 'unknown',
    }),
  ).toEqual([
    'constructor: x',
    'Further Answers: allergies: keine, Pollen\nsmoker: nein\nweight: 70,5\nsince: 01.03.2026',
    'Shop: unknown',
  ]);
});

it('leaves out what is empty', () => {
  expect(read({ 'Customer Email': null, 'Customer Last Name': '', Answers: {}, Files: [] })).toEqual([]);
});
