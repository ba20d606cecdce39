/** German texts of a customer's page. customer.en.ts has the same keys, by its type. */
export const customer = {
  requests: (count: number, rejected: number) =>
    rejected === 0 ? `Anfragen (${count})` : `Anfragen (${count}, davon ${rejected} abgelehnt)`,
  orders: (count: number) => `Aufträge (${count})`,
  none: 'Keine',
  byName:
    'Ohne E-Mail-Adresse: Zusammen steht hier, was unter demselben Namen kam. Es können verschiedene Personen sein.',
  note: (text: string) => `Notiz: ${text}`,
};

export type CustomerTexts = typeof customer;
