import { GERMAN_ON_US, readScan, type Scan, translated, type Unreadable, US_ON_GERMAN } from './scan';

/**
 * Worked out by hand from the published rules. Sources: IFA coding system (PZN modulo 11; PPN modulo 97, whose example is
 * 110375286414), securPharm's coding rules. GS1 General Specifications (modulo 10, element strings, dates), and AIM's
 * symbology identifiers. Check digits: PZN 03752864: 0·1+3·2+7·3+5·4+2·5+8·6+6·7 = 147 = 13·11+4. NTIN 0·3+4+1·3+5+0+0
 * +3·3+7+5·3+2+8·3+6+4·3 = 87, so 3. PZN 01234562: 112 = 10·11+2, its PPN 3322 = 34·97+24, its NTIN 57, so 3. 27580899
 * is both: 174 = 15·11+9 and 71, so 9. 73513537 is not a PZN: 98 = 8·11+10.
 */
type Row = readonly [what: string, arrived: string, read: Scan];

const no = (because: Unreadable): Scan => ({ kind: 'unreadable', because });
const PZN: Scan = { kind: 'pzn', pzn: '03752864' };
const EAN_13: Scan = { kind: 'gtin', gtin: '04006381333931' };
const NTIN = { kind: 'gs1', gtin: '04150037528643', pzn: '03752864' } as const;
const GS1: Scan = { ...NTIN, lot: 'AB123', expires_on: '2027-06-30', serial: 'SN77' };
const PLAIN_GS1: Scan = { ...NTIN, lot: 'AB123', expires_on: '2027-06-30' };
/** The example of the specification. */
const IFA: Scan = {
  kind: 'ifa',
  pzn: '03752864',
  lot: '12345ABCD',
  expires_on: '2015-06-17',
  serial: '12345ABCDEF98765',
};
const IFA_TEXT = '[)>\x1e06\x1d9N110375286414\x1d1T12345ABCD\x1dD150617\x1dS12345ABCDEF98765\x1e\x04';

const NUMBERS: Row[] = [
  ['Code 39 of a PZN', '-03752864', PZN],
  ['Code 39 of a PZN with its identifier', ']A0-03752864', PZN],
  ['Code 39 of a PZN with its start and stop characters', '*-03752864*', PZN],
  ['Code 39 of a PZN of seven digits', '-3752864', PZN],
  ['Code 39 of a PZN of seven digits, with its identifier', ']A0-3752864', PZN],
  ['a PZN, typed', '03752864', PZN],
  ['a PZN of seven digits, typed', '3752864', PZN],
  ['a PZN, typed as it is printed', 'PZN-03752864', PZN],
  ['a PZN, typed with blanks around it', ' pzn: 3752864 ', PZN],
  ['a PZN with a wrong check digit', '-03752865', no('check_digit')],
  ['a PZN whose remainder is 10', '-73513537', no('check_digit')],
  ['a PZN that is cut', '-0375286', no('check_digit')],
  ['a PZN that is cut to five digits', '-03752', no('form')],
  ['a PZN of nine digits', '-037528641', no('form')],
  [
    'eight digits that are a PZN and a GTIN',
    '27580899',
    { kind: 'pzn_or_gtin', pzn: '27580899', gtin: '00000027580899' },
  ],
  ['the same in Code 39', ']A027580899', { kind: 'pzn', pzn: '27580899' }],
  ['the same in EAN-8', ']E427580899', { kind: 'gtin', gtin: '00000027580899' }],
  ['EAN-8', '73513537', { kind: 'gtin', gtin: '00000073513537' }],
  ['EAN-8 with its identifier', ']E473513537', { kind: 'gtin', gtin: '00000073513537' }],
  ['eight digits of neither', '73513538', no('check_digit')],
  ['EAN-13', '4006381333931', EAN_13],
  ['EAN-13 with its identifier', ']E04006381333931', EAN_13],
  ['EAN-13 with a wrong check digit', '4006381333932', no('check_digit')],
  ['EAN-13 that is cut', ']E0400638133', no('form')],
  ['UPC-A', '036000291452', { kind: 'gtin', gtin: '00036000291452' }],
  ['UPC-A with its identifier, as 13 digits', ']E00036000291452', { kind: 'gtin', gtin: '00036000291452' }],
  ['GTIN-14 of ITF-14', ']I114006381333938', { kind: 'gtin', gtin: '14006381333938' }],
  ['NTIN as EAN-13', '4150037528643', { kind: 'gtin', gtin: '04150037528643', pzn: '03752864' }],
  ['NTIN of a wrong PZN', '4150037528650', no('check_digit')],
];

const ELEMENTS: Row[] = [
  ['number, serial, day, lot', '010415003752864321SN77\x1d1727063010AB123', GS1],
  ['the same as GS1 DataMatrix', ']d2010415003752864321SN77\x1d1727063010AB123', GS1],
  ['the same as GS1-128', ']C1010415003752864321SN77\x1d1727063010AB123', GS1],
  ['the same as GS1 QR code', ']Q3010415003752864321SN77\x1d1727063010AB123', GS1],
  ['number, day, lot, serial', '01041500375286431727063010AB123\x1d21SN77', GS1],
  ['number, lot, day, serial', '010415003752864310AB123\x1d1727063021SN77', GS1],
  ['lot first', ']d210AB123\x1d21SN77\x1d010415003752864317270630', GS1],
  ['day first', '17270630010415003752864310AB123\x1d21SN77', GS1],
  ['serial first', '21SN77\x1d10AB123\x1d172706300104150037528643', GS1],
  ['FNC1 in the first place as a separator', '\x1d010415003752864321SN77\x1d1727063010AB123', GS1],
  ['a separator after each field', '0104150037528643\x1d21SN77\x1d17270630\x1d10AB123\x1d', GS1],
  ['the number alone', ']d20104150037528643', NTIN],
  [
    'a GTIN without a PZN',
    ']d2010400638133393117270600',
    { kind: 'gs1', gtin: '04006381333931', expires_on: '2027-06-30' },
  ],
  [
    'the German number of a pack for several countries',
    ']d201090012345678961727063071003752864\x1d10ab-1',
    { kind: 'gs1', gtin: '09001234567896', pzn: '03752864', lot: 'AB-1', expires_on: '2027-06-30' },
  ],
  ['two German numbers that differ', ']d2010415003752864371001234562\x1d10A', no('check_digit')],
  [
    'fields that are not needed',
    ']d2010415003752864311250101172706303712\x1d91X-Y',
    { ...NTIN, expires_on: '2027-06-30' },
  ],
  ['a field of another standard length', ']d20104150037528643310300050017270630\x1d10AB123', PLAIN_GS1],
  [
    'the last day of February in a leap year',
    ']d2010415003752864317280200',
    { ...NTIN, expires_on: '2028-02-29' },
  ],
  ['the last day of February', ']d2010415003752864317270200', { ...NTIN, expires_on: '2027-02-28' }],
  ['31 February', ']d2010415003752864317270231', no('date')],
  ['month 13', ']d2010415003752864317271301', no('date')],
  ['month 0', ']d2010415003752864317270000', no('date')],
  ['a wrong check digit', ']d2010415003752864417270630', no('check_digit')],
  [
    'a lot of 20 characters',
    ']d20104150037528643\x1d10ABCDEFGHIJ0123456789',
    { ...NTIN, lot: 'ABCDEFGHIJ0123456789' },
  ],
  ['a lot of 21 characters', ']d20104150037528643\x1d10ABCDEFGHIJ0123456789X', no('form')],
  ['an empty lot', ']d20104150037528643\x1d10\x1d17270630', no('cut')],
  ['a lot with an umlaut', ']d20104150037528643\x1d10CHARGEÄ', no('form')],
  ['a lot with a control character', ']d20104150037528643\x1d10A\x07B', no('form')],
  ['cut within the number', ']d20104150037', no('cut')],
  ['cut within the number, without identifier', '0104150037528643172706', no('cut')],
  ['cut within the day', ']d2010415003752864321SN77\x1d172706', no('cut')],
  ['cut after the name of a field', ']d2010415003752864321SN77\x1d10', no('cut')],
  ['a field that GS1 does not have', ']d20104150037528643\x1d88X', no('form')],
  ['a shipping label', ']C100340123450000000018', no('no_product')],
  ['a lot and no number', ']d210AB123\x1d17270630', no('no_product')],
  [
    'two codes in one burst',
    ']d2010415003752864321SN77\x1d10A]d2010415003752864321SN78\x1d10A',
    no('two_codes'),
  ],
  [
    'two codes in one burst, without identifiers',
    '010415003752864321SN77\x1d10A0104150012345623\x1d10B',
    no('two_codes'),
  ],
];

const LOST_SEPARATORS: Row[] = [
  ['no separator needed', '01041500375286431727063010AB123', PLAIN_GS1],
  ['lot first, and one way only', '10AB123010415003752864317270630', PLAIN_GS1],
  [
    'lot and serial too long for one',
    '010415003752864310ABCDEF12345621SERIAL7890123',
    { ...NTIN, lot: 'ABCDEF123456', serial: 'SERIAL7890123' },
  ],
  ['lot and serial that could be one lot', '010415003752864310AB12321SN77', no('separators')],
  ['the same with an identifier', ']d2010415003752864310AB12321SN77', no('separators')],
  ['a serial that could end in a day and a lot', '010415003752864321SN771727063010AB1', no('separators')],
  ['two codes in one burst', '01041500375286431727063010A0104150012345623', no('two_codes')],
  ['two EANs in one burst', '40063813339314006381333931', no('two_codes')],
  ['two PZNs in one burst', '-03752864-01234562', no('two_codes')],
  ['two PZNs in one burst, with start and stop characters', '*-03752864**-01234562*', no('two_codes')],
  ['two codes with an end between them', '-03752864\r\n-01234562\r\n', no('two_codes')],
  ['two codes with a Tab between them', '4006381333931\t4006381333931', no('two_codes')],
];

const MESSAGES: Row[] = [
  ['Format 06 whose control characters arrived twice', IFA_TEXT.replaceAll(/([\x1d\x1e\x04])/g, '$1$1'), IFA],
  ['Format 06', IFA_TEXT, IFA],
  ['Format 06 with the identifier of DataMatrix', `]d1${IFA_TEXT}`, IFA],
  [
    'Format 06 in another order',
    '[)>\x1e06\x1dS12345ABCDEF98765\x1dD150617\x1d1T12345ABCD\x1d9N110375286414\x1e\x04',
    IFA,
  ],
  ['Format 06 without its last character', IFA_TEXT.slice(0, -1), IFA],
  ['Format 06 without record separators', IFA_TEXT.replaceAll(/[\x1e\x04]/g, ''), IFA],
  [
    'Format 06 with the number alone',
    '[)>\x1e06\x1d9N110375286414\x1e\x04',
    { kind: 'ifa', pzn: '03752864' },
  ],
  [
    'Format 06 with a GTIN and a production date',
    '[)>\x1e06\x1d9N110375286414\x1d8P04006381333931\x1d16D20250617\x1dD270600\x1e\x04',
    { kind: 'ifa', pzn: '03752864', gtin: '04006381333931', expires_on: '2027-06-30' },
  ],
  [
    'Format 06 without separators, in one way only',
    '[)>069N110375286414D2706001TAB12',
    { kind: 'ifa', pzn: '03752864', lot: 'AB12', expires_on: '2027-06-30' },
  ],
  [
    'Format 06 without separators, in several ways',
    '[)>069N1103752864141T12345ABCDD150617S12345',
    no('separators'),
  ],
  ['PPN with wrong check digits', '[)>\x1e06\x1d9N110375286415\x1d1TAB\x1e\x04', no('check_digit')],
  ['PPN of a wrong PZN', '[)>\x1e06\x1d9N110375286525\x1d1TAB\x1e\x04', no('check_digit')],
  ['PPN of another country', '[)>\x1e06\x1d9N14144692180\x1d1TAB\x1e\x04', no('foreign')],
  ['Format 06 with 31 February', '[)>\x1e06\x1d9N110375286414\x1dD270231\x1e\x04', no('date')],
  ['Format 06 that is cut', IFA_TEXT.slice(0, 34), no('cut')],
  ['Format 06 that is cut within the number', '[)>\x1e06\x1d9N11037528\x1e\x04', no('cut')],
  ['Format 06 that is cut in its header', '[)>\x1e0', no('cut')],
  ['two of Format 06 in one burst', IFA_TEXT + IFA_TEXT, no('two_codes')],
  ['Format 06 with two lots', '[)>\x1e06\x1d9N110375286414\x1d1TA\x1d1TB\x1e\x04', no('two_codes')],
  ['Format 06 without a number', '[)>\x1e06\x1d1TAB\x1e\x04', no('no_product')],
  ['Format 05', '[)>\x1e05\x1d0104150037528643\x1d21SN77\x1d17270630\x1d10AB123\x1e\x04', GS1],
  [
    'Format 05 with the identifier of DataMatrix',
    ']d1[)>\x1e05\x1d010415003752864321SN77\x1d1727063010AB123\x1e\x04',
    GS1,
  ],
  ['Format 07', '[)>\x1e07\x1dX\x1e\x04', no('form')],
];

const OTHERS: Row[] = [
  ['nothing', '', no('empty')],
  ['an end alone', '\r\n', no('empty')],
  ['600 characters', 'A'.repeat(600), no('too_long')],
  ['256 characters', 'A'.repeat(256), no('form')],
  ['the id of a product', 'P1-1001', { kind: 'p1_id', p1_id: 'P1-1001' }],
  ['the id of a product in Code 128', ']C0P1-1001', { kind: 'p1_id', p1_id: 'P1-1001' }],
  ['an id that begins as fields of GS1 do', '21ABC10X', { kind: 'p1_id', p1_id: '21ABC10X' }],
  ['an id of other digits', '10042', { kind: 'p1_id', p1_id: '10042' }],
  ["a parcel's number", '00340434161094042557', { kind: 'p1_id', p1_id: '00340434161094042557' }],
  ['an id with a control character', 'P1\x071001', no('form')],
  ['CR LF at the end', '-03752864\r\n', PZN],
  ['a Tab at the end', `${IFA_TEXT}\t`, IFA],
];

const LAYOUTS: Row[] = [
  ['Code 39, US scanner at a German device', 'ß03752864', no('layout')],
  ['Code 39, German scanner at a US device', '/03752864', no('layout')],
  ['GS1, US scanner at a German device', '+d20104150037528643', no('layout')],
  ['Format 06, US scanner at a German device', 'ü=:\x1e06\x1d9N110375286414\x1e\x04', no('layout')],
  ['a lot with Z, of which nothing tells the layout', '010415003752864310AZ', { ...NTIN, lot: 'AZ' }],
];

describe('readScan', () => {
  const tables = { NUMBERS, ELEMENTS, LOST_SEPARATORS, MESSAGES, OTHERS, LAYOUTS };
  for (const [table, rows] of Object.entries(tables))
    describe(table, () => {
      it.each(rows)('reads %s', (_, arrived, read) => {
        expect(readScan(arrived, { year: 2026 })).toEqual(read);
      });
    });

  it.each([
    ['Code 39', 'ß03752864', US_ON_GERMAN, PZN],
    ['GS1', '+d20104150037528643\x1d10AY-_', US_ON_GERMAN, { ...NTIN, lot: 'AZ/?' }],
    [
      'GS1 with a hyphen and an underscore',
      '+d20104150037528643\x1d10Ayß?',
      US_ON_GERMAN,
      { ...NTIN, lot: 'AZ-_' },
    ],
    [
      'Format 06',
      'ü=:\x1e06\x1d9N110375286414\x1d1TYß1\x1e\x04',
      US_ON_GERMAN,
      { kind: 'ifa', pzn: '03752864', lot: 'Z-1' },
    ],
    ['Code 39', '/03752864', GERMAN_ON_US, PZN],
    [
      'GS1 whose identifier AltGr would have written',
      '0104150037528643\x1d10AY/?',
      GERMAN_ON_US,
      { ...NTIN, lot: 'AZ-_' },
    ],
  ] as const)('reads %s with the keys that the device was taught', (_, arrived, keys, read) => {
    expect(readScan(translated(arrived, keys), { year: 2026 })).toEqual(read);
  });
});
