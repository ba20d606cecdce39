import { findingsIn } from './findings';
import { hintsOf } from './hints';

describe('hints', () => {
  const validity = { amber_days: 28, red_days: 90 };

  const noMarks = {
    signature_seen: false,
    prescriber_checked: false,
    dose_plausible: false,
    note: null,
    colleagues: [],
  };
  const noFindings = {
    pdf_sha256: null,
    used_before: [],
    duplicate_suspect: false,
    signature: null,
    pages: null,
  };

  const request = {
    customer_name: 'Anna Berg',
    payload: {},
    lines: [],
    prescription: { state: 'stored' as const },
    checks: noFindings,
    marks: { ...noMarks, issued_on: null },
  };

  it.each([
    [{}, undefined],
    [{ shipping_option: 'Abholung', cash_on_pickup: true }, undefined],
    [{ shipping_option: 'Versand' }, 'default'],
    [{ shipping_option: 'Express', cash_on_pickup: null, payment_status: null }, 'default'],
    [{ shipping_option: 'Versand', cash_on_pickup: true }, 'given'],
    [{ shipping_option: 'Versand', payment_status: 'cash_on_pickup' }, 'given'],
    [{ shipping_option: 'Versand', payment_status: 'paid', cash_on_pickup: true }, undefined],
    [{ shipping_option: 'Versand', cash_on_pickup: false }, undefined],
  ])('of the payment with %j: %s', (payload, cash) => {
    const hints = hintsOf({ ...request, payload }, 'unread', 0, validity);
    const hint = hints.find(({ kind }) => kind === 'payment');
    expect(hint).toEqual(cash && { kind: 'payment', tone: 'amber', cash });
  });

  function issued(text: string, now: string, issuedOn: string | null = null) {
    const marks = { ...noMarks, issued_on: issuedOn };
    const hints = hintsOf({ ...request, marks }, { text }, Date.parse(now), validity);
    const hint = hints.find(({ kind }) => kind === 'issued');
    return hint?.kind === 'issued' ? [hint.tone, hint.ageDays] : null;
  }

  const SHEET = 'Privatrezept fuer Anna Berg, ausgestellt am';

  describe('the date of issue', () => {
    it.each([
      ['24.11.2026', 'good', 0],
      ['27.10.2026', 'good', 28],
      ['26.10.2026', 'amber', 29],
      ['25.08.2026', 'red', 91],
    ])('of %s on 24.11.2026 is %s', (day, tone, age) => {
      expect(issued(`${SHEET} ${day}`, '2026-11-24T12:00:00Z')).toEqual([tone, age]);
    });

    it('in the future is red', () => {
      expect(issued(`${SHEET} 25.11.2026`, '2026-11-24T12:00:00Z')).toEqual(['red', -1]);
      expect(issued(SHEET, '2026-11-24T12:00:00Z', '2027-01-01')).toEqual(['red', -38]);
    });

    it('is counted in days of Berlin, also around midnight and the change to winter time', () => {
      expect(issued(`${SHEET} 25.11.2026`, '2026-11-24T23:30:00Z')).toEqual(['good', 0]);
      expect(issued(`${SHEET} 24.11.2026`, '2026-11-24T22:30:00Z')).toEqual(['good', 0]);
      expect(issued(`${SHEET} 24.10.2026`, '2026-10-25T23:30:00Z')).toEqual(['good', 2]);
    });

    it('that a person has noted counts for a scan, too', () => {
      expect(issued('', '2026-11-24T12:00:00Z', '2026-08-01')).toEqual(['red', 115]);
      expect(issued('', '2026-11-24T12:00:00Z')).toBeNull();
    });
  });
});

describe('findings in the document', () => {
  const PAPER = `PRIVATREZEPT Nr. 10403330
Name, Vorname des Versicherten geb. am Ausgestellt am
Wölf-Großmann, Jonas 03.02.1952 12.11.2026
Torstraße 60 10115 Berlin
Rp. Cannabisblüten Demo 18/1 15 g
0,1 g Einzeldosis, max. 4 x täglich verdampfen
Dr. med. Sabine Weber Tel. 081 7076173`;

  const wanted = (customerName: string | null, name = 'Cannabisblüten Demo 18/1', quantity = 15) => ({
    customerName,
    lines: [{ name, quantity }],
  });

  it.each([
    'Jonas Wölf-Großmann',
    'Dr. Jonas Woelf-Grossmann',
    'WÖLF-GROẞMANN, JONAS',
    'Jonas Wölf-Großmann',
  ])('finds the name %s', (name) => {
    expect(findingsIn(PAPER, wanted(name)).hasName).toBe(true);
  });

  it.each(['Emilia Klein', 'Jonas Klein', 'Jonas', 'Jon Wölf-Großmann', '', null])(
    'tells %p from another name, or finds a part only',
    (name) => {
      expect(findingsIn(PAPER, wanted(name)).hasName).toBe(name === 'Jonas');
    },
  );

  it('takes the date of issue, not the birthday, whichever stands first', () => {
    expect(findingsIn(PAPER, wanted(null)).issuedOn).toBe('2026-11-12');
    expect(findingsIn('12.11.2026 … geb. 03.02.1952', wanted(null)).issuedOn).toBe('2026-11-12');
    expect(findingsIn('31.02.2026', wanted(null)).issuedOn).toBeNull();
  });

  it('finds medicine and amount, and says when the amount is another one', () => {
    expect(findingsIn(PAPER, wanted(null))).toMatchObject({ linesFound: [0], amountsMissing: [] });
    expect(findingsIn(PAPER, wanted(null, undefined, 20)).amountsMissing).toEqual([0]);
    expect(findingsIn(PAPER, wanted(null, undefined, 5)).amountsMissing).toEqual([0]);
    expect(findingsIn(PAPER, wanted(null, 'Lavendelblüten Tee 50 g')).linesFound).toEqual([]);
  });

  it('knows a scan by its missing text, and reads the telephone number', () => {
    expect(findingsIn(' ', wanted('Jonas Wolf')).isScan).toBe(true);
    expect(findingsIn(PAPER, wanted(null)).phone).toBe('081 7076173');
  });
});
