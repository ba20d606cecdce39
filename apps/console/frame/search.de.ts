/** Of the palette, which searches over all, and of the list of keys. */
export const search = {
  hint: 'Kunde, Nummer, Produkt, Seite oder Befehl',
  searchIn: (area: string, q: string) => `In ${area} suchen: ${q}`,
  none: 'Nichts gefunden.',
  keysOff: 'Tastenkürzel sind ausgeschaltet; die Schaltflächen tun dasselbe.',
  keysWithAlt: 'Tastenkürzel wirken zusammen mit Alt.',
  groups: { shell: 'Überall', page: 'Diese Seite', dialog: 'Dieser Dialog' },
  commands: 'Befehle und Seiten',
  requests: 'Anfragen',
  orders: 'Aufträge',
  products: 'Produkte',
  noName: 'ohne Namen',
  stock: (available: string) => `${available} verfügbar`,
  searching: 'Wird gesucht …',
  found: (count: number) => (count === 1 ? '1 Treffer' : `${count} Treffer`),
  failed: (why: string) => `Suche nicht möglich: ${why}`,
  noProducts: 'Produkte können gerade nicht durchsucht werden.',
};

export type SearchTexts = typeof search;
