/** German texts of the print page and its papers. printing.en.ts has the same keys, by its type. */
export const printing = {
  title: {
    slip: (count: number) => (count === 1 ? '1 Packzettel' : `${count} Packzettel`),
    label: (count: number) => (count === 1 ? '1 Etikett' : `${count} Etiketten`),
  },
  about: 'Vorschau der Seiten.',
  print: 'Drucken',
  back: 'Zurück',
  none: 'Kein Auftrag zum Drucken ausgewählt',
  noneHint: 'Wählen Sie in der Liste die Aufträge aus, und drucken Sie dann.',
  toOrders: 'Zu den Aufträgen',
  missing: (count: number) =>
    count === 1
      ? '1 Auftrag ist nicht zu finden und wird nicht gedruckt.'
      : `${count} Aufträge sind nicht zu finden und werden nicht gedruckt.`,
  asked: (count: number) => (count === 1 ? 'Hat der Druck geklappt?' : `Sind alle ${count} gedruckt?`),
  slipAsked: (customer: string) => `${customer}: Packzettel gedruckt?`,
  yes: 'Ja, im Verlauf vermerken',
  no: 'Nein',
  printed: 'Im Verlauf vermerkt.',
  notMarked: (message: string) => `Gedruckt, aber nicht im Verlauf vermerkt. ${message}`,
  markAgain: 'Erneut vermerken',
  slip: 'Packzettel',
  number: 'Auftrag',
  ordered: 'Bestellt',
  delivery: 'Lieferung',
  payment: 'Zahlung',
  total: 'Summe',
  parcel: 'Paket',
  packed: 'Gepackt',
  quantity: 'Menge',
  product: 'Produkt',
  productNumber: 'Produktnummer',
};

export type PrintTexts = typeof printing;
