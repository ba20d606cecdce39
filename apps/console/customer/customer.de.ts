/** German texts of a customer's page. customer.en.ts has the same keys, by its type. */
export const customer = {
  requests: 'Anfragen',
  rejected: 'Abgelehnt',
  orders: 'Aufträge',
  phones: 'Telefon',
  addresses: 'Benutzte Adressen',
  noAddress: 'Keine Adresse angegeben',
  notes: 'Notizen',
  timeLine: 'Verlauf',
  gone: 'Dieser Kunde ist nicht zu finden',
  goneHint: 'Seine Angaben wurden gelöscht, oder die Adresse der Seite stimmt nicht.',
  toOrders: 'Zu den Aufträgen',
  noRecords: 'Keine Anfragen und keine Aufträge',
  noRecordsHint: 'Was dieser Kunde bestellt hat, wurde gelöscht.',
  more: 'Ältere zeigen',
  byName:
    'Ohne E-Mail-Adresse: Hier steht zusammen, was unter demselben Namen kam. Es können verschiedene Personen sein.',
  request: 'Anfrage',
  order: (number: string) => `Auftrag ${number}`,
  prescriber: (name: string) => `Verordnet von ${name}`,
  message: (text: string) => `An den Partner: ${text}`,
  note: (text: string) => `Notiz: ${text}`,
};

export type CustomerTexts = typeof customer;
