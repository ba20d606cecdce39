/** Of searching over all in the palette. */
export const search = {
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
