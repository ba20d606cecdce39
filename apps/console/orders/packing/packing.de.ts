/** German texts of the packing station. packing.en.ts has the same keys, by its type. */
export const packing = {
  waiting: (count: number, written: string) =>
    count === 1 ? '1 Auftrag zu packen' : `${written} Aufträge zu packen`,
  none: 'Alles gepackt',
  noneHint: 'Neue Aufträge erscheinen hier von selbst.',
  noneInShop: 'In diesem Shop ist alles gepackt',
  sounds: 'Töne',
  code: 'Artikelcode',
  order: 'Auftrag am Packplatz',
  lines: 'Positionen',
  counted: (count: number, of: number) => `${count} von ${of}`,
  nowCounted: ({ product, count, of, code }: { product: string; count: number; of: number; code: string }) =>
    `${product}: ${count} von ${of} (${code})`,
  complete: 'vollständig',
  noCode: 'Ohne Artikelnummer: bitte von Hand zählen.',
  more: 'Eins mehr',
  less: 'Eins weniger',
  all: 'Alle',
  of: (act: string, product: string) => `${act}: ${product}`,
  nextLine: 'Nächste Position',
  previousLine: 'Vorige Position',
  notes: 'Notizen',
  packedBefore: (who: string, at: string) => `Schon als gepackt vermerkt von ${who}, ${at}`,
  done: 'Gepackt, drucken, weiter',
  skip: 'Nächster Auftrag',
  back: 'Voriger Auftrag',
  acts: 'Was zu tun ist',
  wrong: 'Falscher Artikel',
  wrongWhy: (code: string) => `${code} gehört nicht zu diesem Auftrag.`,
  full: 'Zu viel',
  fullWhy: (product: string) => `${product} ist schon vollständig im Paket.`,
  garbage: 'Kein Artikelcode',
  garbageWhy:
    'Es kam kein lesbarer Code an. Bitte noch einmal scannen, den Code eintippen oder von Hand zählen.',
  stopped: 'Nicht gezählt',
  stray: 'Es war kein Auftrag zu sehen. Bitte scannen Sie noch einmal, wenn einer offen ist.',
  understood: 'Verstanden',
  changed: 'Der Auftrag hat sich geändert, während Sie packen',
  goOn: 'Neuen Stand übernehmen',
  blockedChanged: 'Der Auftrag hat sich geändert: Bitte übernehmen Sie zuerst den neuen Stand.',
  blockedAlarm: 'Bitte bestätigen Sie zuerst die Warnung.',
  blockedOpen: (lines: number) =>
    lines === 1 ? 'Eine Position fehlt noch.' : `${lines} Positionen fehlen noch.`,
  blockedStatus: (status: string) => `Nicht mehr zu packen. Status: ${status}.`,
  blockedEmpty: 'Der Auftrag hat keine Positionen.',
};

export type PackingTexts = typeof packing;
