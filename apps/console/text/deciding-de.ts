/** German texts of what a decision can carry. deciding-en.ts has the same keys, by its type. */
export const deciding = {
  editTitle: (customer: string) => `Bearbeiten: ${customer}`,
  editHint: 'Die Änderungen gehören zu Ihrer Freigabe. Was der Partner gesendet hat, bleibt erhalten.',
  apply: 'Übernehmen',
  quantity: 'Menge',
  price: 'Einzelpreis in €',
  remove: 'Entfernen',
  removeLine: (product: string) => `${product} entfernen`,
  restore: 'Doch nicht entfernen',
  restoreLine: (product: string) => `${product} doch nicht entfernen`,
  removed: 'wird entfernt',
  addLine: 'Position hinzufügen',
  matchProduct: 'Produkt zuordnen',
  otherProduct: 'Anderes Produkt',
  findProduct: 'Produkt im Bestand suchen',
  noProduct: 'Kein Produkt im Bestand heißt so.',
  productsLoading: 'Wird gesucht …',
  totalInEuros: 'Summe in €',
  totalFollows: 'Folgt den Positionen, bis Sie einen Betrag eintragen.',
  noShipping: 'keine Angabe',
  mistake: {
    empty: 'Darf nicht leer sein.',
    email: 'Das ist keine E-Mail-Adresse.',
    quantity: 'Eine ganze Zahl von 1 bis 1.000.000.',
    money: 'Ein Betrag wie 1234,50.',
    no_lines: 'Mindestens eine Position muss bleiben. Sonst lehnen Sie die Anfrage ab.',
  },
  decidedBy: {
    approved: (customer: string, name: string, time: string) =>
      `${customer}: ${name} hat um ${time} freigegeben.`,
    rejected: (customer: string, name: string, time: string) =>
      `${customer}: ${name} hat um ${time} abgelehnt.`,
  },
  changedByYou: 'Von Ihnen geändert',
  changedBy: (name: string) => `Geändert von ${name}`,
  reset: 'Zurücksetzen',
  resetField: (field: string) => `${field} zurücksetzen`,
  refusedValue: (field: string, message: string) => `Nicht angenommen (${field}): ${message}`,
  staleEdits: (made: number, present: number) =>
    `Sie haben Version ${made} geändert. Inzwischen gibt es Version ${present}: Ihre Änderungen gelten noch nicht.`,
  editsBeforeFirst:
    'Ihre Änderungen sind älter als die letzte Freigabe oder Rücknahme durch jemand anderen. Sie gelten noch nicht.',
  takeOver: 'Für diese Version übernehmen',
  discard: 'Verwerfen',
  lacksStock:
    'Der Bestand reicht nicht, deshalb nimmt der Server keine Freigabe an. Ändern Sie die Positionen, oder warten Sie, bis der Zugang gebucht ist.',
  note: 'Notiz für das Team',
  noteWrite: 'Notiz',
  noteTitle: (customer: string) => `Notiz: ${customer}`,
  noteHint: 'Der Partner sieht sie nicht.',
  noNote: 'Keine Notiz',
  noteOnOlder:
    'Der Partner hat inzwischen eine neue Version gesendet. Die Notiz ist noch nicht gespeichert; noch einmal „Speichern“ setzt sie an die neue Version.',
  markOnOlder: 'Nicht gespeichert: Der Partner hat inzwischen eine neue Version gesendet.',
  save: 'Speichern',
  templates: 'Vorlagen',
};

export type DecidingTexts = typeof deciding;
