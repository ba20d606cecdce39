/** German texts of the packing station. packing.en.ts has the same keys, by its type. */
export const packing = {
  about: 'Ein Auftrag nach dem anderen, der älteste zuerst.',
  waiting: (count: number, written: string) =>
    count === 1 ? '1 Auftrag zu packen' : `${written} Aufträge zu packen`,
  none: 'Alles gepackt',
  noneHint: 'Neue Aufträge erscheinen hier von selbst.',
  noneInShop: 'In diesem Shop ist alles gepackt',
  sounds: 'Töne',
  scanner: 'Scanner',
  setUp: {
    title: 'Scanner einrichten',
    about:
      'Ein Scanner tippt wie eine Tastatur. Ist er auf ein anderes Land eingestellt als dieses Gerät, kommen Zeichen vertauscht an. Scannen Sie diesen Code einmal vom Bildschirm oder vom Papier: Danach liest dieses Gerät sie richtig.',
    image: 'Code zum Einrichten',
    field: 'Hier scannen',
    state: {
      same: 'Eingerichtet: Scanner und Gerät haben dieselbe Tastatur.',
      us_on_german: 'Eingerichtet: Der Scanner tippt auf einer US-Tastatur, das Gerät hat eine deutsche.',
      german_on_us:
        'Eingerichtet: Der Scanner tippt auf einer deutschen Tastatur, das Gerät hat eine US-Tastatur.',
    },
    none: 'Noch nicht eingerichtet.',
    wrong: (code: string) =>
      `Das ist nicht der Code von oben, oder der Scanner tippt auf einer Tastatur, die hier nicht bekannt ist. Gelesen: ${code}. Bitte prüfen Sie die Feststelltaste, oder stellen Sie den Scanner nach seiner Anleitung auf die Tastatur dieses Geräts ein.`,
    notKept:
      'Der Browser hat die Einstellung nicht gespeichert, der Scanner ist nicht eingerichtet. Bitte erlauben Sie dieser Seite, Daten zu speichern.',
    print: 'Drucken',
  },
  code: 'Produktcode',
  order: 'Auftrag am Packplatz',
  lines: 'Positionen',
  counted: (count: number, of: number) => `${count} von ${of}`,
  nowCounted: ({ product, count, of, code }: { product: string; count: number; of: number; code: string }) =>
    `${product}: ${count} von ${of} (${code})`,
  complete: 'vollständig',
  noCode: 'Ohne Produktnummer: bitte von Hand zählen.',
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
  acts: 'Aktionen',
  wrong: 'Falsches Produkt',
  wrongWhy: (code: string, product: string | null) =>
    product === null
      ? `${code} gehört nicht zu diesem Auftrag.`
      : `${product} gehört nicht zu diesem Auftrag (${code}).`,
  full: 'Zu viel',
  fullWhy: (product: string) => `${product} ist schon vollständig im Paket.`,
  expired: 'Verfallen',
  expiredWhy: (product: string, day: string) =>
    `${product} war nur bis zum ${day} haltbar. Diese Packung darf nicht ins Paket.`,
  held: 'Gesperrte Charge',
  heldWhy: (product: string, lot: string, reason: string) =>
    `${product}: Charge ${lot} ist gesperrt (${reason}). Diese Packung darf nicht ins Paket.`,
  notWritten: 'Nicht gepackt',
  notWrittenWhy: (why: string) =>
    `${why} Der Auftrag ist noch nicht gepackt: Bitte versuchen Sie es noch einmal.`,
  heldLots: (lots: string) => `Nicht packen, gesperrte Charge: ${lots}`,
  pieces: (count: number) => `${count} ×`,
  lotBefore: 'vom letzten Packen',
  lotHeld: 'gesperrt',
  noLot: (lot: string) => `Charge ${lot} entfernen`,
  withoutLot: (count: number) => `${count} ohne Charge`,
  linesWithoutLots: (lines: number) =>
    lines === 1
      ? 'Bei einer Position fehlt eine Charge. Sie können trotzdem packen, aber ein Rückruf findet diese Packungen nicht.'
      : `Bei ${lines} Positionen fehlen Chargen. Sie können trotzdem packen, aber ein Rückruf findet diese Packungen nicht.`,
  typeLot: 'Charge erfassen',
  typed: {
    title: (product: string) => `Charge erfassen: ${product}`,
    lot: 'Charge',
    lotHint: 'Wie sie auf der Dose oder im Herstellungsprotokoll steht.',
    lotMistake:
      'Eine Charge hat 1 bis 20 Zeichen, mindestens einen Buchstaben oder eine Ziffer und keine doppelten Leerzeichen.',
    test: 'Prüfnummer (freiwillig)',
    day: 'Verfalldatum (freiwillig)',
    quantity: (most: number) => `Menge (höchstens ${most})`,
    quantityMistake: (most: number) => `Bitte eine ganze Zahl von 1 bis ${most}.`,
    expired: (day: string) =>
      `Verfallen: nur bis zum ${day} haltbar. Diese Packungen dürfen nicht ins Paket.`,
    held: (lot: string, reason: string) =>
      `Charge ${lot} ist gesperrt (${reason}). Diese Packungen dürfen nicht ins Paket.`,
    save: 'Eintragen',
  },
  noParcel: 'Paket nicht eingetragen',
  garbage: 'Code nicht lesbar',
  garbageWhy:
    'Es kam kein lesbarer Code an. Bitte noch einmal scannen, den Code eintippen oder von Hand zählen.',
  unreadable: {
    empty: 'Es kam kein Code an.',
    too_long: 'Der Code ist länger als jeder Produktcode.',
    form: 'Der Code hat keine bekannte Form.',
    check_digit: 'Die Prüfziffer stimmt nicht.',
    date: 'Der Code enthält ein Verfalldatum, das es nicht gibt.',
    cut: 'Das Ende des Codes fehlt.',
    two_codes: 'Es kamen zwei Codes zugleich an.',
    separators: 'Der Scanner sendet keine Trennzeichen, deshalb ist die Charge nicht sicher zu lesen.',
    no_product: 'Der Code nennt kein Produkt.',
    foreign: 'Der Code enthält eine Produktnummer aus einem anderen Land.',
    layout:
      'Scanner und Gerät sind auf verschiedene Tastaturen eingestellt. Bitte richten Sie den Scanner oben unter „Scanner“ ein.',
  },
  unreadableWhy: (why: string, code: string) =>
    `${why} Gelesen: ${code}. Bitte noch einmal scannen, den Code eintippen oder von Hand zählen.`,
  unclear: (code: string) =>
    `${code} steht für zwei Produkte dieses Auftrags. Bitte zählen Sie dieses Stück von Hand.`,
  unanswered: (code: string) => `Für ${code} kam keine Antwort vom Server. Bitte scannen Sie noch einmal.`,
  stopped: 'Nicht gezählt',
  stray: 'Es war kein Auftrag geöffnet. Bitte öffnen Sie einen, und scannen Sie noch einmal.',
  understood: 'Verstanden',
  changed: 'Der Auftrag hat sich geändert, während Sie packen',
  goOn: 'Neuen Stand übernehmen',
  blockedChanged: 'Der Auftrag hat sich geändert: Bitte übernehmen Sie zuerst den neuen Stand.',
  blockedAlarm: 'Bitte bestätigen Sie zuerst die Warnung.',
  blockedHeld: (lot: string, reason: string) =>
    `Charge ${lot} wurde inzwischen gesperrt (${reason}): Bitte nehmen Sie die Packungen aus dem Paket, entfernen Sie hier die Charge, und verringern Sie die gezählten Stücke.`,
  blockedExpired: (lot: string, day: string) =>
    `Charge ${lot} war nur bis zum ${day} haltbar: Bitte nehmen Sie die Packungen aus dem Paket, entfernen Sie hier die Charge, und verringern Sie die gezählten Stücke.`,
  blockedOpen: (lines: number) =>
    lines === 1 ? 'Eine Position fehlt noch.' : `${lines} Positionen fehlen noch.`,
  blockedStatus: (status: string) => `Nicht mehr zu packen. Status: ${status}.`,
  blockedEmpty: 'Der Auftrag hat keine Positionen.',
};

export type PackingTexts = typeof packing;
