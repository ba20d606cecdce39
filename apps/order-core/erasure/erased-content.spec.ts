import { erasedPayload, erasedPrescription } from './erased-content';

it('leaves only amounts, lines, payment and shipping options of a payload', () => {
  const payload = {
    customer_name: 'Erika',
    customer_email: 'erika@example.org',
    address_street: 'Weg 1',
    payment_reference: 'pi_1',
    questionnaire: { sleep: 'bad' },
    patient_birth_date: '1964-08-12',
    prescriber: { name: 'Dr. Ada' },
    e_prescription: { task_id: '160.000.033.491.280.78' },
    total_amount: 7,
    cash_on_pickup: true,
    items: [{ name: 'Salbe', quantity: 2, price: 3.5, note: 'for Erika', dosage: '1-0-1' }, null],
  };
  expect(erasedPayload(payload)).toEqual({
    total_amount: 7,
    cash_on_pickup: true,
    items: [{ name: 'Salbe', quantity: 2, price: 3.5 }, {}],
  });
});

it('leaves only the amount, the products and the keys of a prescription', () => {
  const kept = {
    'External Id': 'x',
    'Order Total Amount': 5,
    'Product 1 Service Product Id': 'P',
    'Product 3 Price': 1,
  };
  const gone = {
    'Customer Email': 'erika@example.org',
    'Questionnaire Indication': 'pain',
    'Receipt Pdf Base64': 'https://example.org/r.pdf',
    'Product 1 Note': 'for Erika',
    'Product 4 Price': 1,
  };
  expect(erasedPrescription({ ...kept, ...gone })).toEqual(kept);
});
