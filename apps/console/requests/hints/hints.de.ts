interface Medicine {
  name: string;
  state: string;
  parts: readonly string[];
  instead: readonly string[];
  hasAmount: boolean;
}

const SIGNATURES = {
  none: 'Keine eingebettete Signatur',
  present: 'Signatur eingebettet',
  altered: 'Nach der Signatur geändert',
};

const orderOf = (partner: string | null) =>
  partner === null ? 'Ein Auftrag Ihrer Apotheke' : `Ein Auftrag eines anderen Partners (${partner})`;

/** German texts of the hints, loaded with the review. */
export const hints = {
  name: { good: 'Name steht im Dokument', amber: 'Name nicht im Dokument gefunden' },
  issued: (date: string, days: number) =>
    days < 0
      ? `Ausgestellt ${date} · liegt in der Zukunft`
      : `Ausgestellt ${date} · ${days === 0 ? 'heute' : days === 1 ? 'gestern' : `vor ${days} Tagen`}`,
  other: ({ name, parts, instead }: Medicine) =>
    `${name}: im Dokument steht ${instead.join(', ')} statt ${parts.join(', ')}`,
  missing: ({ name, parts, state }: Medicine) =>
    state === 'unnamed' || parts.length === 0
      ? `${name}: nicht eindeutig im Dokument gefunden`
      : `${name}: ${parts.join(', ')} nicht beim Namen gefunden`,
  amounts: ({ name }: Medicine) => `${name}: Menge nicht im Dokument gefunden`,
  same: ({ name, parts, hasAmount }: Medicine) =>
    `${name}: im Dokument, verglichen ${['Name', ...parts, ...(hasAmount ? ['Menge'] : [])].join(', ')}`,
  birth: {
    good: (day: string, _instead: string) => `Geburtsdatum ${day} steht im Dokument`,
    amber: (day: string, _instead: string) => `Geburtsdatum ${day} nicht im Dokument gefunden`,
    red: (day: string, instead: string) => `Geburtsdatum: im Dokument steht ${instead} statt ${day}`,
  },
  dated: {
    good: (day: string, _instead: string) => `Rezeptdatum ${day} steht im Dokument`,
    amber: (day: string, _instead: string) => `Rezeptdatum ${day} nicht im Dokument gefunden`,
    red: (day: string, instead: string) => `Rezeptdatum: im Dokument steht ${instead} statt ${day}`,
  },
  prescriber: {
    good: (parts: string) => `Verordner im Dokument, verglichen ${parts}`,
    amber: (parts: string) => `Verordner: ${parts} nicht im Dokument gefunden`,
  },
  prescriberParts: { name: 'Name', number: 'Arztnummer' },
  otherNumber: (number: string, instead: string) =>
    `Verordner: im Dokument steht Arztnummer ${instead} statt ${number}`,
  minor: (day: string) => `Am ${day} noch nicht 18 Jahre alt`,
  checked: (who: string, at: string) => `Verordner geprüft von ${who} am ${at}`,
  unchecked: 'Verordner in Ihrer Apotheke noch nicht als geprüft vermerkt',
  scan: 'Scan ohne Text: mit dem Auge lesen',
  used: {
    good: (_times: number) => 'Dokument erstmals eingereicht',
    quiet: (_times: number) => 'Früher eingereicht, vom Absender zurückgezogen',
    red: (times: number) => `${times} × früher eingereicht`,
  },
  reference: {
    amber: (partner: string | null) => `${orderOf(partner)} hat diese Referenz`,
    red: (partner: string | null) =>
      `${orderOf(partner)} hat diese Referenz, und Name oder E-Mail sind gleich`,
  },
  duplicate: { good: 'Keine Dublette in 24 h', amber: 'Mögliche Dublette in 24 h' },
  signature: SIGNATURES,
  stock: 'Bestand reicht nicht',
  price: 'Preis weicht vom Katalog ab',
  payment: {
    given: 'Barzahlung bei Abholung angegeben, aber die Ware wird geliefert',
    unpaid: 'Unbezahlt, aber die Ware wird geliefert: nach der Freigabe wartet der Auftrag auf Zahlung',
    default: 'Lieferung ohne Angabe zur Zahlung: nach der Freigabe wartet der Auftrag auf Zahlung',
  },
  document: {
    missing: 'Kein Rezept',
    broken: 'Kein lesbares Rezept',
    locked: 'Rezept mit Passwort geschützt: nichts verglichen',
    late: 'Rezept noch nicht geladen: nichts verglichen',
  },
};

export type HintTexts = typeof hints;
