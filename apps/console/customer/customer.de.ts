/** German texts of a customer's page. customer.en.ts has the same keys, by its type. */
export const customer = {
  requests: (count: number): string => (count === 1 ? 'Anfrage' : 'Anfragen'),
  rejected: () => 'Abgelehnt',
  orders: (count: number): string => (count === 1 ? 'Auftrag' : 'Aufträge'),
  names: 'Verwendete Namen',
  phones: 'Telefon',
  addresses: 'Verwendete Adressen',
  noAddress: 'Keine Adresse angegeben',
  notes: 'Notizen',
  leftOut: (count: string) => `+ ${count} im Verlauf`,
  unread: (count: number, written: string) =>
    count === 1
      ? 'Der älteste Eintrag ist hier nicht ausgewertet: Was darin steht, etwa eine Allergie, finden Sie nur im Verlauf.'
      : `Die ${written} ältesten Einträge sind hier nicht ausgewertet: Was darin steht, etwa eine Allergie, finden Sie nur im Verlauf.`,
  timeLine: 'Verlauf',
  gone: 'Dieser Kunde ist nicht zu finden',
  goneHint: 'Seine Angaben wurden gelöscht, oder die Adresse der Seite stimmt nicht.',
  toOrders: 'Zu den Aufträgen',
  noRecords: 'Keine Anfragen und keine Aufträge',
  noRecordsHint: 'Was dieser Kunde bestellt hat, wurde gelöscht.',
  more: 'Ältere zeigen',
  byName:
    'Ohne E-Mail-Adresse: Hier steht alles, was unter demselben Namen eingegangen ist. Es können verschiedene Personen sein.',
  request: 'Anfrage',
  order: (number: string | null) => (number === null ? 'Auftrag' : `Auftrag ${number}`),
  prescriber: (name: string) => `Verordner: ${name}`,
  message: (text: string) => `An den Partner: ${text}`,
  note: (text: string) => `Notiz: ${text}`,
};

export type CustomerTexts = typeof customer;
