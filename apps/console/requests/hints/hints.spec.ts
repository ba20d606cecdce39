import { formatsFor } from '../../text/formats';
import { hints as german } from './hints.de';
import { hintsOf, hintText } from './hints';

describe('hints', () => {
  const validity = { amber_days: 28, red_days: 90 };

  const noMarks = {
    signature_seen: false,
    prescriber_checked: false,
    dose_plausible: false,
    note: null,
    document_kind: null,
    rest_not_needed: false,
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
    external_reference: null,
    reference_order: null,
    payload: {},
    lines: [],
    prescription: { state: 'stored' as const },
    checks: noFindings,
    marks: { ...noMarks, issued_on: null },
    prescriber_check: null,
  };

  const ADA = { name: 'Dr. Ada Arzt', number: '123456601' };
  const SAID = 'Praxis Ada Arzt, LANR: 123456601, fuer Anna Berg, geb. 12.08.1964, ausgestellt am 20.11.2026';
  const born = 'patient_birth_date';
  const NO_KNOWN = ['unchecked'];

  it.each([
    [{}, SAID, []],
    [{ [born]: '1964-08-12' }, SAID, ['birth good']],
    [{ [born]: '1964-08-12' }, SAID.replace('12.08.1964', '12.8.64'), ['birth amber']],
    [{ [born]: '1964-08-12' }, SAID.replace('12.08.1964', '112.08.1964'), ['birth amber']],
    [{ [born]: '1964-08-13' }, SAID, ['birth red 1964-08-12']],
    [{ [born]: '1964-08-13' }, SAID.replace('geb. 12.08.1964', ''), ['birth amber']],
    [{ [born]: '2008-11-20' }, SAID.replace('12.08.1964', '20.11.2008'), ['birth good']],
    [
      { [born]: '2008-11-21' },
      SAID.replace('geb. 12.08.1964', '21.11.2008'),
      ['birth good', 'minor amber 2026-11-20'],
    ],
    [{ [born]: '2008-11-21' }, '', ['minor amber 2026-11-19']],
    [{ [born]: '2008-11-21', prescription_date: '2026-11-21' }, '', []],
    [{ prescription_date: '2026-11-20' }, SAID, ['dated good']],
    [{ prescription_date: '2026-11-21' }, SAID, ['dated red 2026-11-20']],
    [{ prescription_date: '2026-11-21' }, 'Rezept fuer Frau Anna Berg', ['dated amber']],
    [{ prescriber: ADA }, SAID, ['prescriber good name,number', ...NO_KNOWN]],
    [{ prescriber: { name: 'Ada Arzt' } }, SAID, ['prescriber good name']],
    [{ prescriber: { name: 'Eva Arzt' } }, SAID, ['prescriber amber name']],
    [{ prescriber: ADA }, SAID.replace('LANR: 123456601', ''), ['prescriber amber number', ...NO_KNOWN]],
    [
      { prescriber: ADA },
      SAID.replace('123456601', '234567890'),
      ['otherNumber red 234567890', 'prescriber good name', ...NO_KNOWN],
    ],
    [{ prescriber: { city: 'Leipzig' } }, SAID, []],
    // Documents that a tester made up without knowing the comparison.
    [{ [born]: '2008-11-12' }, `${SAID} Praxis seit 12.11.2008`, ['birth red 1964-08-12']],
    [{ [born]: '1926-11-20' }, 'Rezept fuer Anna Berg, ausgestellt am 20.11.26', ['birth amber']],
    [{ [born]: '1964-08-12' }, `Rezept fuer Anna Berg\nMutter: Eva, geb. 12.08.1964`, ['birth amber']],
    [{ [born]: '1964-08-12' }, `${SAID}, Leo Berg geb. 01.02.2019`, ['birth amber']],
    [{ [born]: '1964-08-12' }, `Rezept fuer Anna Berg\f${SAID.replace('Anna', 'Leo')}`, ['birth amber']],
    [
      { prescriber: { name: 'Ada Arzt' } },
      'Patientin: Dr. Ada Arzt, Rezept von Dr. Otto Bein',
      ['prescriber amber name'],
    ],
    [
      { prescriber: { name: 'Ada Arzt' } },
      'Rezept: Ueberwiesen durch: Dr. Ada Arzt',
      ['prescriber amber name'],
    ],
    [{ prescription_date: '1964-08-12' }, SAID, ['dated red 2026-11-20']],
    [{ prescription_date: '2026-11-25' }, `${SAID}, Termin 25.11.2026`, ['dated red 2026-11-20']],
    [{ prescriber: { name: 'Dr. Anna Berg' } }, SAID, ['prescriber amber name']],
    [{ prescriber: { number: '234567890' } }, `BSNR 234567890, ${SAID}`, ['otherNumber red 123456601']],
    [{ prescriber: ADA }, '', NO_KNOWN],
  ])('of the prescription with %j beside %j: %j', (payload, text, wanted) => {
    const nowMs = Date.parse('2026-11-19T12:00:00Z');
    const shown = hintsOf({ ...request, payload }, { text }, nowMs, validity).flatMap((hint) => {
      const { kind, tone } = hint;
      if (kind === 'birth' || kind === 'dated') return [[kind, tone, ...hint.instead].join(' ')];
      if (kind === 'prescriber') return [`${kind} ${tone} ${hint.parts.join()}`];
      if (kind === 'otherNumber') return [`${kind} ${tone} ${hint.instead}`];
      if (kind === 'minor') return [`${kind} ${tone} ${hint.on}`];
      return kind === 'checked' ? ['unchecked'] : [];
    });
    expect(shown).toEqual(wanted);
  });

  it('of an e-prescription miss no document', () => {
    const payload = { e_prescription: { task_id: '160.000.033.491.280.78' } };
    const kinds = (of: Record<string, unknown>) =>
      hintsOf({ ...request, prescription: null, payload: of }, 'unread', 0, validity);
    expect(kinds(payload).map(({ kind }) => kind)).not.toContain('document');
    expect(kinds({}).map(({ kind }) => kind)).toContain('document');
  });

  it('say that a prescription was used before, also one without a document, and no more than was compared', () => {
    const use = {
      order_request_id: 'r',
      shop_id: 's',
      status: 'pending' as const,
      created_at: '',
      withdrawn: false,
    };
    const kinds = (external_reference: string | null, used_before: (typeof use)[]) => {
      const checks = { ...noFindings, used_before };
      const hints = hintsOf({ ...request, external_reference, checks }, 'unread', 0, validity);
      return hints.filter(({ kind }) => kind === 'used' || kind === 'duplicate');
    };
    expect(kinds(null, [])).toEqual([{ kind: 'duplicate', tone: 'good' }]);
    expect(kinds('visit-1', [use])).toEqual([{ kind: 'used', tone: 'red', times: 1 }]);
    const withdrawn = { ...use, withdrawn: true };
    expect(kinds('visit-1', [withdrawn])).toEqual([{ kind: 'used', tone: 'quiet', times: 0 }]);
    expect(kinds('visit-1', [withdrawn, use])).toEqual([{ kind: 'used', tone: 'red', times: 1 }]);
  });

  it.each([
    [false, 'amber'],
    [true, 'red'],
  ])(
    'of the order of another partner with the reference, of the same customer: %s, are %s',
    (same_customer, tone) => {
      const reference_order = { order_id: 'o', integration: 'Alpha', same_customer };
      const hints = hintsOf({ ...request, reference_order }, 'unread', 0, validity);
      expect(hints).toContainEqual({ kind: 'reference', tone, of: 'Alpha' });
      expect(
        hintText({ kind: 'reference', tone: 'red', of: 'Alpha' }, german, formatsFor('de', 'Europe/Berlin')),
      ).toBe(
        'Ein Auftrag eines anderen Partners (Alpha) hat diese Referenz, und Name oder E-Mail sind gleich',
      );
    },
  );

  it('say who has checked the prescriber', () => {
    const check = { by: 'Eva', at: '2026-11-19T12:00:00.000Z' };
    const hints = hintsOf(
      { ...request, payload: { prescriber: ADA }, prescriber_check: check },
      'unread',
      0,
      validity,
    );
    expect(hints).toContainEqual({ kind: 'checked', tone: 'good', check });
  });

  it.each([
    [{}, undefined],
    [{ shipping_option: 'Abholung', cash_on_pickup: true }, undefined],
    [{ shipping_option: 'Versand' }, 'default'],
    [{ shipping_option: 'Express', cash_on_pickup: null, payment_status: null }, 'default'],
    [{ shipping_option: 'Versand', cash_on_pickup: true }, 'given'],
    [{ shipping_option: 'Versand', payment_status: 'cash_on_pickup' }, 'given'],
    [{ shipping_option: 'Versand', payment_status: 'paid', cash_on_pickup: true }, undefined],
    [{ shipping_option: 'Versand', cash_on_pickup: false }, 'unpaid'],
    [{ shipping_option: 'Uber Eats', payment_status: 'pending' }, 'unpaid'],
    [{ shipping_option: 'Abholung', payment_status: 'pending' }, undefined],
  ])('of the payment with %j: %s', (payload, cash) => {
    const hints = hintsOf({ ...request, payload }, 'unread', 0, validity);
    const hint = hints.find(({ kind }) => kind === 'payment');
    expect(hint).toEqual(cash && { kind: 'payment', tone: 'amber', cash });
  });

  it.each(['broken', 'locked', 'late'] as const)('of a document that is %s are red, and not green', (why) => {
    const hints = hintsOf(request, why, 0, validity);
    expect(hints[0]).toEqual({ kind: 'document', tone: 'red', why });
    expect(hints.map(({ kind }) => kind)).not.toContain('name');
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

    it.each([
      ['BtM-Rezept, Teil II: 17.11.2026', 'good', 7],
      ['BtM-Rezept, Teil II: 16.11.2026', 'red', 8],
    ])('of a narcotic prescription, %s, is %s', (text, tone, age) => {
      expect(issued(`${text} für Anna Berg`, '2026-11-24T12:00:00Z')).toEqual([tone, age]);
    });

    it('that a person has noted counts for a scan, too', () => {
      expect(issued('', '2026-11-24T12:00:00Z', '2026-08-01')).toEqual(['red', 115]);
      expect(issued('', '2026-11-24T12:00:00Z')).toBeNull();
    });
  });
});
