/** German texts of the recall. recall.en.ts has the same keys, by its type. */
export const recall = {
  title: 'Rückruf',
  about:
    'Scannen Sie eine Packung, oder tippen Sie die Charge ein: Sie sehen die Aufträge, für die diese Charge erfasst ist.',
  lot: 'Charge',
  lotHint: 'Wie sie auf der Packung steht. Enter zeigt die Aufträge.',
  product: 'Produkt',
  anyProduct: 'Alle Produkte',
  otherProduct: 'Anderes Produkt',
  show: 'Aufträge zeigen',
  noLot: (product: string) =>
    `Der Code nennt ${product}, aber keine Charge. Bitte tippen Sie die Charge ein.`,
  holds: 'Gesperrte Chargen',
  holdsHint:
    'Der Packplatz weist diese Chargen ab, wenn sie gescannt oder eingetippt werden. Wer ohne Charge zählt, prüft die Packung selbst. Ausbuchen bleibt möglich.',
  noHolds: 'Keine Charge ist gesperrt.',
  titleOf: (lot: string) => `Rückruf: Charge ${lot}`,
  columns: {
    told: 'Informiert',
    customer: 'Kunde',
    phone: 'Telefon',
    pieces: 'Stück',
    day: 'Auftrag vom',
    order: 'Auftrag',
  },
  holdColumns: { lot: 'Charge', product: 'Produkt', reason: 'Grund', since: 'Gesperrt seit' },
  listLabel: 'Aufträge mit dieser Charge',
  told: (done: string, count: string) => `${done} von ${count} informiert`,
  sum: (_count: number, pieces: string) => `${pieces} Stück`,
  tick: (customer: string) => `Informiert: ${customer}`,
  toldKey: 'Als informiert vermerken oder zurücknehmen',
  next: 'Nächster Auftrag',
  previous: 'Voriger Auftrag',
  erased: 'Daten gelöscht',
  noPhone: 'ohne Telefonnummer',
  loading: (count: string) => `${count} Aufträge, weitere werden geladen …`,
  incomplete: (count: string) =>
    `${count} Aufträge geladen. Die Liste ist vielleicht unvollständig: Bitte versuchen Sie es erneut, bevor Sie drucken.`,
  none: (lot: string) => `Kein Auftrag hat Packungen der Charge ${lot}`,
  noneHint:
    'Gefunden werden nur Packungen, deren Charge beim Packen erfasst wurde. Prüfen Sie auch die Schreibweise: O und 0, I und 1.',
  isHeld: (at: string, reason: string) => `Gesperrt seit ${at}: ${reason}`,
  isHeldOf: (product: string, at: string, reason: string) =>
    `${product}: gesperrt seit ${at} (${reason}). Bitte wählen Sie oben ein Produkt.`,
  isOnHold: 'Gesperrt',
  lotOf: (lot: string) => `Charge ${lot}`,
  byYou: 'von Ihnen',
  hold: 'Charge sperren',
  holdTitle: (lot: string) => `Charge ${lot} sperren`,
  holdAbout:
    'Der Packplatz weist diese Charge dann ab. Schon gepackte Aufträge hält die Sperre nicht auf: Halten Sie diese Pakete selbst zurück.',
  conflict:
    'Die Charge ist schon mit einem anderen Grund gesperrt, oder die Höchstzahl von 200 Sperren ist erreicht. Bitte sehen Sie unter „Gesperrte Chargen“ nach.',
  reason: 'Grund',
  reasonHint: 'Etwa die Nummer des Rückrufs. Keine Namen von Kunden.',
  searchProduct: 'Name, Nummer, PZN oder GTIN',
  noProduct: 'Kein Produkt gefunden.',
  held: (lot: string) => `Charge ${lot} ist gesperrt.`,
  lift: 'Sperre aufheben',
  liftTitle: (lot: string) => `Sperre der Charge ${lot} aufheben?`,
  liftAbout: 'Packungen dieser Charge können danach wieder gepackt werden.',
  lifted: (lot: string) => `Charge ${lot} ist nicht mehr gesperrt.`,
  cancel: 'Abbrechen',
  print: 'Drucken',
  printed: (at: string) => `Gedruckt ${at}`,
  back: 'Andere Charge',
  signature: 'Erledigt: Datum, Unterschrift',
  blockedRole: 'Eine Charge sperren oder die Sperre aufheben dürfen nur Apotheker und Inhaber.',
  blockedOffline: 'Keine Verbindung: Die Charge lässt sich gerade nicht sperren oder freigeben.',
};

export type RecallTexts = typeof recall;
