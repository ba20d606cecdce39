import { formatsFor } from '../../text/formats';
import { hints as german } from './hints.de';
import { type DocumentText, hintsOf, hintText } from './hints';

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
  const born = 'patient_birth_date';
  const at = (now: string) => ({ ...validity, nowMs: Date.parse(now) });
  const today = at('2026-11-19T12:00:00Z');

  it.each([
    [{ [born]: '2008-11-20' }, '2026-11-20', []],
    [{ [born]: '2008-11-21' }, '2026-11-20', ['minor 2026-11-20']],
    [{ [born]: '2008-11-21' }, null, ['minor 2026-11-19']],
    [{ [born]: '2008-11-21', prescription_date: '2026-11-21' }, '2026-11-20', []],
    [{ prescriber: ADA }, null, ['unchecked']],
    [{ prescriber: { city: 'Leipzig' } }, null, []],
  ])('of the prescription with %j, issued %s: %j', (payload, issuedOn, wanted) => {
    const shown = hintsOf({ ...request, payload }, 'unread', issuedOn, today).flatMap((hint) => {
      if (hint.kind === 'minor') return [`minor ${hint.on}`];
      return hint.kind === 'checked' ? ['unchecked'] : [];
    });
    expect(shown).toEqual(wanted);
  });

  it('colour nothing that was read in a document as good', () => {
    const text = 'Privatrezept für Anna Berg, ausgestellt am 19.11.2026';
    const kinds = (document: DocumentText) =>
      hintsOf(request, document, '2026-11-19', today).map(({ kind, tone }) => `${kind} ${tone}`);
    expect(kinds({ text })).toEqual(kinds('unread'));
  });

  it('of an e-prescription miss no document', () => {
    const payload = { e_prescription: { task_id: '160.000.033.491.280.78' } };
    const kinds = (of: Record<string, unknown>) =>
      hintsOf({ ...request, prescription: null, payload: of }, 'unread', null, today);
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
      const hints = hintsOf({ ...request, external_reference, checks }, 'unread', null, today);
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
      const status = 'approved' as const;
      const other = { order_request_id: 'r', status, order_id: 'o', integration: 'Alpha', same_customer };
      const hintOf = (external_reference: string) =>
        hintsOf({ ...request, external_reference, reference_order: other }, 'unread', null, today);
      expect(hintOf('R-1')).toContainEqual({ kind: 'reference', tone, of: 'Alpha', isId: false });
      expect(hintOf('r')).toContainEqual({ kind: 'reference', tone, of: 'Alpha', isId: true });
    },
  );

  it.each([
    [
      false,
      'Ein Auftrag eines anderen Partners (Alpha) hat diese Referenz, und Name oder E-Mail sind gleich',
    ],
    [
      true,
      'Die Referenz ist die ID einer Anfrage eines anderen Partners (Alpha), und Name oder E-Mail sind gleich',
    ],
  ])('of the reference tell an id from another: %s', (isId, text) => {
    const hint = { kind: 'reference', tone: 'red', of: 'Alpha', isId } as const;
    expect(hintText(hint, german, formatsFor('de', 'Europe/Berlin'))).toBe(text);
  });

  it('say who has checked the prescriber', () => {
    const check = { by: 'Eva', at: '2026-11-19T12:00:00.000Z' };
    const hints = hintsOf(
      { ...request, payload: { prescriber: ADA }, prescriber_check: check },
      'unread',
      null,
      today,
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
    const hints = hintsOf({ ...request, payload }, 'unread', null, today);
    const hint = hints.find(({ kind }) => kind === 'payment');
    expect(hint).toEqual(cash && { kind: 'payment', tone: 'amber', cash });
  });

  it.each(['broken', 'locked', 'late'] as const)('of a document that is %s are red, and not green', (why) => {
    const hints = hintsOf(request, why, null, today);
    expect(hints[0]).toEqual({ kind: 'document', tone: 'red', why });
    expect(hints.map(({ kind }) => kind)).not.toContain('name');
  });

  it('name the document that cannot be read, where the request has further ones', () => {
    const unread = { number: 2, name: 'Rezept der Praxis Dr. Sabine Weber.pdf' };
    const [hint] = hintsOf(request, 'locked', null, { ...today, unread });
    expect(hint && hintText(hint, german, formatsFor('de', 'Europe/Berlin'))).toBe(
      'Rezept mit Passwort geschützt: nichts gelesen (Dokument 2 · Rezept der Praxis Dr. Sabine W)',
    );
  });

  describe('the date of issue that a person has noted', () => {
    const issued = (issued_on: string, now: string, text = '') => {
      const hints = hintsOf({ ...request, marks: { ...noMarks, issued_on } }, { text }, null, at(now));
      return hints.flatMap((hint) => (hint.kind === 'issued' ? [hint.tone, hint.ageDays] : []));
    };

    it.each([
      ['2026-11-24', 'quiet', 0],
      ['2026-10-27', 'quiet', 28],
      ['2026-10-26', 'amber', 29],
      ['2026-08-25', 'red', 91],
      ['2026-11-25', 'red', -1],
    ])('of %s on 24.11.2026 is %s', (day, tone, age) => {
      expect(issued(day, '2026-11-24T12:00:00Z')).toEqual([tone, age]);
    });

    it('is counted in days of Berlin, also around midnight and the change to winter time', () => {
      expect(issued('2026-11-25', '2026-11-24T23:30:00Z')).toEqual(['quiet', 0]);
      expect(issued('2026-11-24', '2026-11-24T22:30:00Z')).toEqual(['quiet', 0]);
      expect(issued('2026-10-24', '2026-10-25T23:30:00Z')).toEqual(['quiet', 2]);
    });

    it.each([
      ['2026-11-17', 'quiet', 7],
      ['2026-11-16', 'red', 8],
    ])('of a narcotic prescription, %s, is %s', (day, tone, age) => {
      expect(issued(day, '2026-11-24T12:00:00Z', 'BtM-Rezept, Teil II')).toEqual([tone, age]);
    });
  });
});
