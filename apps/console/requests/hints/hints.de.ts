const SIGNATURES = {
  none: 'Keine eingebettete Signatur',
  present: 'Signatur eingebettet',
  altered: 'Nach der Signatur geändert',
};

const usedBy = (partner: string | null, isId: boolean) => {
  const sender = partner === null ? 'Ihrer Apotheke' : `eines anderen Partners (${partner})`;
  return isId
    ? `Die Referenz ist die ID einer Anfrage ${sender}`
    : `Ein Auftrag ${sender} hat diese Referenz`;
};

/** German texts of the hints, loaded with the review. */
export const hints = {
  issued: (date: string, days: number) =>
    days < 0
      ? `Ausgestellt ${date} · liegt in der Zukunft`
      : `Ausgestellt ${date} · ${days === 0 ? 'heute' : days === 1 ? 'gestern' : `vor ${days} Tagen`}`,
  minor: (day: string) => `Am ${day} noch nicht 18 Jahre alt`,
  checked: (who: string, at: string) => `Verordner geprüft von ${who} am ${at}`,
  unchecked: 'Verordner in Ihrer Apotheke noch nicht als geprüft vermerkt',
  used: {
    good: (_times: number) => 'Dokument erstmals eingereicht',
    quiet: (_times: number) => 'Früher eingereicht, vom Absender zurückgezogen',
    red: (times: number) => `Schon ${times === 1 ? 'einmal' : `${times}-mal`} eingereicht`,
  },
  reference: {
    amber: usedBy,
    red: (partner: string | null, isId: boolean) =>
      `${usedBy(partner, isId)}, und Name oder E-Mail sind gleich`,
  },
  duplicate: { good: 'Keine Dublette in 24 h', amber: 'Mögliche Dublette in 24 h' },
  signature: SIGNATURES,
  stock: 'Bestand reicht nicht',
  price: 'Preis weicht vom Katalog ab',
  more: (count: number) => `${count} weitere Hinweise`,
  payment: {
    given: 'Barzahlung bei Abholung angegeben, aber die Ware wird geliefert',
    unpaid: 'Unbezahlt, aber die Ware wird geliefert: nach der Freigabe wartet der Auftrag auf Zahlung',
    default: 'Lieferung ohne Angabe zur Zahlung: nach der Freigabe wartet der Auftrag auf Zahlung',
  },
  documentNumber: (number: number) => `Dokument ${number}`,
  document: {
    missing: 'Kein Rezept',
    broken: 'Kein lesbares Rezept',
    locked: 'Rezept mit Passwort geschützt: nichts gelesen',
    late: 'Rezept noch nicht geladen: nichts gelesen',
  },
};

export type HintTexts = typeof hints;
