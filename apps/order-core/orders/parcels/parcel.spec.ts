import { Refused } from '@offizin/contracts/calls/errors';
import {
  type Carrier,
  CARRIERS,
  MAX_PARCEL_URL_LENGTH,
  parcelUrlOf,
} from '@offizin/contracts/orders/parcels';
import { equalParcel, parcelsAsRead, parcelsText, type StoredParcel } from './parcel';

const NUMBER = '00340434161094042557';
const parcel: StoredParcel = {
  id: '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c23',
  carrier: 'dhl',
  tracking_number: NUMBER,
  url: null,
  created_at: '2026-03-02T09:40:12.000Z',
};
const readUrl = (change: Partial<StoredParcel>) => parcelsAsRead([{ ...parcel, ...change }])[0]?.url;

/** A number of each form that the carrier prints, and the page that shows it. */
const LINKS: [carrier: Carrier, number: string, url: string][] = [
  [
    'dhl',
    '00340434161094042557',
    'https://www.dhl.de/de/privatkunden/dhl-sendungsverfolgung.html?piececode=00340434161094042557',
  ],
  [
    'dhl',
    'JJD000390007827012345',
    'https://www.dhl.de/de/privatkunden/dhl-sendungsverfolgung.html?piececode=JJD000390007827012345',
  ],
  ['dpd', '01505012345678', 'https://tracking.dpd.de/status/de_DE/parcel/01505012345678'],
  ['gls', '50346007538', 'https://gls-group.com/DE/de/paketverfolgung?match=50346007538'],
  ['gls', 'ZB7QQ9XJ', 'https://gls-group.com/DE/de/paketverfolgung?match=ZB7QQ9XJ'],
  [
    'hermes',
    'H1000730000862301015',
    'https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation#H1000730000862301015',
  ],
  [
    'hermes',
    '02450250512345',
    'https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation#02450250512345',
  ],
  ['ups', '1Z999AA10123456784', 'https://www.ups.com/track?loc=de_DE&tracknum=1Z999AA10123456784'],
];

describe('the link of a parcel', () => {
  it.each(LINKS)('of %s with the number %s is %s', (carrier, tracking_number, url) => {
    expect(readUrl({ carrier, tracking_number })).toBe(url);
  });

  it('is made for every carrier with a page of its own, and could be given as a URL', () => {
    const linked = CARRIERS.filter((carrier) => readUrl({ carrier }) !== null);
    expect(linked).toEqual([...new Set(LINKS.map(([carrier]) => carrier))]);
    for (const carrier of linked) {
      const url = readUrl({ carrier, tracking_number: '7'.repeat(40) }) ?? '';
      expect([carrier, parcelUrlOf(url)]).toEqual([carrier, url]);
      expect(url.length).toBeLessThan(MAX_PARCEL_URL_LENGTH);
    }
  });

  it('is the given one where there is one, and percent-encodes the number', () => {
    const url = 'https://track.example.com/7';
    for (const carrier of CARRIERS) expect(readUrl({ carrier, url })).toBe(url);
    for (const carrier of ['dhl', 'dpd', 'gls', 'hermes', 'ups'] as const)
      expect(readUrl({ carrier, tracking_number: '$& /?#"<' })).toMatch(/[=/#]%24%26%20%2F%3F%23%22%3C$/);
  });

  it('goes with the number', () => {
    expect(parcelsAsRead([{ ...parcel, tracking_number: null }])).toEqual([
      { ...parcel, tracking_number: null, url: null },
    ]);
  });
});

describe('a parcel that is added', () => {
  const order = { status: 'shipped', erased_at: null, parcels: [parcel] } as const;
  const given = { carrier: 'dhl', tracking_number: NUMBER, url: null } as const;
  const other = { ...given, tracking_number: '1234' };
  const full = Array.from({ length: 20 }, (_, n) => ({ ...parcel, tracking_number: `${n}` }));

  it('is the one of before where carrier, number and URL are equal, whatever became of the order', () => {
    expect(equalParcel(order, given)).toBe(parcel);
    expect(equalParcel({ ...order, status: 'cancelled' }, given)).toBe(parcel);
  });

  it('is new under another number, also in a closed order', () => {
    for (const status of ['pending', 'shipped', 'picked_up', 'completed'] as const)
      expect(equalParcel({ ...order, status }, other)).toBeNull();
    expect(equalParcel({ ...order, parcels: full.slice(1) }, other)).toBeNull();
  });

  it.each([
    ['of another carrier', order, { ...given, carrier: 'ups' }, /another carrier or URL/],
    ['with a URL', order, { ...given, url: 'https://track.example.com/' }, /another carrier or URL/],
    ['of a cancelled order', { ...order, status: 'cancelled' }, other, /cancelled/],
    ['of an erased customer', { ...order, erased_at: new Date(0) }, other, /erased/],
    ['beyond 20', { ...order, parcels: full }, other, /at most 20/],
  ] as const)('%s is refused', (_, of, wanted, message) => {
    expect(() => equalParcel(of, wanted)).toThrow(message);
    expect(() => equalParcel(of, wanted)).toThrow(Refused);
  });
});

it('parcels are one text of the history', () => {
  expect(parcelsText([])).toBeNull();
  const erased = { ...parcel, carrier: 'gls', tracking_number: null } as const;
  expect(parcelsText([parcel, erased])).toBe(`dhl ${NUMBER}, gls`);
});
