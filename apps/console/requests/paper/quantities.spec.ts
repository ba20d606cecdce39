import { differs, saysOtherAmount, strengthOfName } from './quantities';

/** A strength that is read wrongly is a red alarm on a right prescription, or none on a false one. */

it.each([
  ['Ramipril 5 mg', 'Ramipril 5mg 100 St N3'],
  ['Ramipril 5 mg', 'Ramipril 5,0 mg'],
  ['Ramipril 2,5 mg', 'Ramipril 2.5 mg'],
  ['Digoxin 0,125 mg', 'Digoxin 0.125 mg'],
  ['Digoxin 0.125 mg', 'Digoxin 125 µg'],
  ['Levothyroxin 75 µg', 'L-Thyroxin 0,075 mg'],
  ['Cabergolin 1 mg', 'Cabergolin 1.000 µg'],
  ['Vigantol 20.000 I.E.', 'Vigantol 20000 IE'],
  ['Vigantol 20.000 I.E.', 'Vigantol 20,000 IU'],
  ['Vigantol 20.000 I.E.', 'Vigantol 20 000 E.'],
  ['Penicillin 1,5 Mio. I.E.', 'Penicillin 1.500.000 IE'],
  ['Fentanyl 25 µg/h', 'Fentanyl 25 Mikrogramm/Stunde'],
  ['Novaminsulfon 500 mg/ml', 'Novaminsulfon 2500 mg/5 ml'],
  ['Clotrimazol 1 %', 'Clotrimazol 10 mg/g'],
  ['Candesartan/HCT 16 mg/12,5 mg', 'Candesartan HCT 16/12,5 mg'],
  ['Cannabisblüten 22/1', 'Cannabisblüten 22/1, 15 g'],
  ['Ibuprofen 400', 'Ibuprofen 400 mg'],
  ['Ramipril 5 mg', 'Ramipril'],
  ['Ramipril 5 mg', 'Ramipril 1-0-1, 20 St'],
  ['Ramipril 5 mg', 'Ramipril 5 mg PZN 01234567'],
  ['Ramipril 5 mg', 'Ramipril, Tel. 030 7076173'],
  ['Ramipril 5 mg', 'Ramipril vom 10.03.2026'],
])('%s is what "%s" says, or may be', (name, text) => {
  expect(differs(strengthOfName(name), text)).toBe(false);
});

it.each([
  ['Ramipril 5 mg', 'Ramipril 10 mg'],
  ['Ramipril 5 mg', 'Ramipril 0,5 mg'],
  ['Ramipril 5 mg', 'Ramipril PZN 01234567 10 mg'],
  ['Ramipril 5 mg', 'Ramipril PZN: 01234567, 2,5 mg 100 St'],
  ['Fluconazol 125 mg', 'Fluconazol 0.125 mg'],
  ['Levothyroxin 75 µg', 'Levothyroxin 75 mg'],
  ['Vigantol 20.000 I.E.', 'Vigantol 2.000 I.E.'],
  ['Candesartan/HCT 16 mg/12,5 mg', 'Candesartan HCT 16/25 mg'],
  ['Cannabisblüten 22/1', 'Cannabisblüten 1/22'],
  ['Fentanyl 25 µg/h', 'Fentanyl 50 µg/h'],
  ['Novaminsulfon 500 mg/ml', 'Novaminsulfon 250 mg/ml'],
])('%s is not what "%s" says', (name, text) => {
  expect(differs(strengthOfName(name), text)).toBe(true);
});

describe('the amount', () => {
  it.each([
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg'],
    ['Ramipril 5 mg', 1, '1 x Ramipril 5 mg'],
    ['Ramipril 5 mg', 1, '2 x täglich Ramipril 5 mg'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg, 3 Tabletten täglich'],
    ['Ramipril 5 mg', 3, 'Ramipril 5 mg 3 OP'],
    ['Ramipril 5 mg 100 St', 1, 'Ramipril 5 mg 100 Stück'],
    ['Ramipril 5 mg 50 St', 2, 'Ramipril 5 mg 100 St'],
    ['Ramipril 5 mg 100 St', 3, 'Ramipril 5 mg 3x100 St'],
    ['Ramipril 5 mg 100 St', 3, 'Ramipril 5 mg 3 x 100 St. N3'],
    ['Ramipril 5 mg 100 St', 3, '3 × 100 Tabl. Ramipril 5 mg'],
    ['Ramipril 5 mg 100 St', 3, 'Ramipril 5 mg 3 OP à 100 St'],
    ['Ramipril 5 mg 100 St', 3, 'Ramipril 5 mg 3x N3'],
    ['Ramipril 5 mg 3x100 St', 1, 'Ramipril 5 mg 300 St'],
    ['Ramipril 5 mg', 3, 'Ramipril 5 mg 3x100 St'],
    ['Ramipril 5 mg', 3, 'Ramipril 5 mg 3xOP'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg N3'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg 100 St N3 OP'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg 1x100 St'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg 3 x 1 Tabl. täglich'],
    ['Cannabisblüten Demo 22/1', 15, 'Cannabisblüten Demo 22/1 15 g'],
    ['Cannabisblüten Demo 22/1', 30, 'Cannabisblüten Demo 22/1 3 x 10 g'],
    ['Cannabisblüten Demo 22/1', 15, 'Cannabisblüten Demo 22/1 15 g, 3 x 0,1 g täglich'],
    ['Cannabisblüten Demo 22/1 10 g', 2, 'Cannabisblüten Demo 22/1 20 g'],
  ])('of %s, %d, is what "%s" says, or may be', (name, quantity, text) => {
    expect(saysOtherAmount(text, name, quantity)).toBe(false);
  });

  it.each([
    ['Ramipril 5 mg', 1, '2 x Ramipril 5 mg'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg 3 OP'],
    ['Ramipril 5 mg', 2, 'Ramipril 5 mg, 1 Packung'],
    ['Ramipril 5 mg 100 St', 1, 'Ramipril 5 mg 20 St'],
    ['Ramipril 5 mg 100 St', 1, 'Ramipril 5 mg 3x100 St'],
    ['Ramipril 5 mg 100 St', 1, 'Ramipril 5 mg 3 x 100 St.'],
    ['Ramipril 5 mg 100 St', 2, 'Ramipril 5 mg 3x N3'],
    ['Ramipril 5 mg 100 St', 3, 'Ramipril 5 mg 3x20 St'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg 3x100 St'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg 3 x 100 St.'],
    ['Ramipril 5 mg', 3, 'Ramipril 5 mg 1x100 St'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg 2xN3'],
    ['Ramipril 5 mg', 1, 'Ramipril 5 mg 3x OP'],
    ['Cannabisblüten Demo 22/1', 30, 'Cannabisblüten Demo 22/1 15 g'],
    ['Cannabisblüten Demo 22/1', 10, 'Cannabisblüten Demo 22/1 3 x 10 g'],
  ])('of %s, %d, is not what "%s" says', (name, quantity, text) => {
    expect(saysOtherAmount(text, name, quantity)).toBe(true);
  });
});
