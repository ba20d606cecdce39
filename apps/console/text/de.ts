import { requests } from './requests.de';

/** What a decision can carry. */
const deciding = {
  remove: 'Entfernen',
  discard: 'Verwerfen',
  note: 'Notiz für das Team',
  save: 'Speichern',
  templates: 'Vorlagen',
};

/** What colleagues do at the same time. */
const liveTexts = {
  openAt: (names: string) => `Gerade geöffnet bei ${names}`,
  shared: (names: string) => `Gerade auch geöffnet bei ${names}. Trotzdem freigeben?`,
  sharedTitle: (customer: string) => `Freigeben: ${customer}`,
  news: (count: number) => `${count} neu`,
  showNews: 'Neue Anfragen zeigen',
  decided: {
    'order-request.approve': (name: string, at: string) => `${name} hat um ${at} freigegeben.`,
    'order-request.reject': (name: string, at: string) => `${name} hat um ${at} abgelehnt.`,
    'order-request.cancel': (name: string, at: string) => `Vom Absender (${name}) um ${at} zurückgezogen.`,
  },
  newVersion: (version: number) =>
    `Der Partner hat inzwischen Version ${version} gesendet. Bitte prüfen Sie sie.`,
};

/** German, the language that the others follow: text/en.ts has the same keys, or does not compile. */
export const de = {
  shell: {
    name: 'Offizin',
    main: 'Bereiche',
    leftElsewhere: (screen: string) =>
      `Beim Verlassen der Seite „${screen}“ war noch nicht alles gespeichert.`,
    leftShow: 'Ansehen',
    keyNames: {
      Escape: 'Esc',
      PageDown: 'Bild ab',
      PageUp: 'Bild auf',
      'Ctrl Enter': 'Strg ↵',
      'Ctrl m': 'Strg M',
    },
    toContent: 'Zum Inhalt springen',
    requests: 'Anfragen',
    orders: 'Aufträge',
    packing: 'Packplatz',
    webhooks: 'Webhooks',
    stock: 'Bestand',
    products: 'Produkte',
    prescriptions: 'Rezepte',
    reports: 'Berichte',
    audit: 'Protokoll',
    settings: 'Einstellungen',
    settingsOf: {
      me: 'Mein Konto',
      staff: 'Team',
      signOn: 'Anmeldeanbieter',
      apiKeys: 'Schlüssel',
      shops: 'Shops',
      workflow: 'Ablauf',
      review: 'Prüfregeln',
    },
    waiting: (count: number, shown: string) =>
      count === 1 ? '1 Anfrage wartet.' : `${shown} Anfragen warten.`,
    theme: 'Hell/Dunkel',
    signOut: 'Abmelden',
    roles: { owner: 'Inhaberin/Inhaber', pharmacist: 'Apothekerin/Apotheker', clerk: 'PTA/PKA' },
    keysTitle: 'Tastenkürzel',
    close: 'Schließen',
    then: 'dann',
    palette: 'Suche, Befehle und Seiten',
    messages: 'Meldungen',
    offline: 'Keine Verbindung: Die Anzeige kann veraltet sein, und Entscheiden ist gesperrt.',
    loading: 'Wird geladen …',
    menu: 'Konto und Abmelden',
    undo: 'Letzte Entscheidung rückgängig machen',
    stillSignedIn: 'Sie sind noch angemeldet, weil eine Entscheidung nicht angenommen wurde.',
  },
  fault: {
    title: 'Das hat nicht geklappt',
    again: 'Erneut versuchen',
    requestId: (id: string) => `Vorgangsnummer: ${id}`,
    copyRequestId: 'Vorgangsnummer kopieren',
    copied: 'Kopiert.',
    unreachable: 'Der Server ist gerade nicht erreichbar.',
    timeout: 'Der Server hat nicht rechtzeitig geantwortet.',
    tooMany: 'Das waren zu viele Aufrufe in kurzer Zeit. Bitte warten Sie einen Moment.',
    unknown: 'Unerwarteter Fehler.',
    outOfStock: (lines: string) => `Der Bestand reicht nicht für Position ${lines}.`,
    invalid: (fields: string) => `Diese Angaben sind nicht gültig: ${fields}.`,
    refusals: {
      invalid_request: 'Eine Angabe ist nicht gültig.',
      unauthorized: 'Ihre Anmeldung ist abgelaufen. Bitte melden Sie sich neu an.',
      insufficient_scope: 'Dafür fehlt Ihrer Rolle ein Recht.',
      forbidden: 'Das gehört zu einer anderen Organisation.',
      not_confirmed: 'Nichts wurde geändert, weil das Passwort nicht bestätigt wurde.',
      not_found: 'Das gibt es hier nicht oder nicht mehr.',
      method_not_allowed: 'Der Server kennt diesen Aufruf nicht. Bitte laden Sie die Seite neu.',
      not_acceptable: 'Der Server kennt diesen Aufruf nicht. Bitte laden Sie die Seite neu.',
      invalid_transition: 'Im jetzigen Status geht das nicht.',
      order_closed: 'Der Auftrag ist abgeschlossen und lässt sich nicht mehr ändern.',
      second_approval_needed:
        'Zwei Personen haben den Auftrag freigegeben; ihn ändert nur eine neue Anfrage.',
      out_of_stock: 'Der Bestand reicht nicht.',
      stale_quantity: 'Der Bestand hat sich inzwischen geändert.',
      already_decided: 'Das ist schon entschieden.',
      reference_conflict: 'Diese Referenz gibt es schon mit anderem Inhalt.',
      conflict: 'Im jetzigen Zustand geht das nicht. Bitte sehen Sie noch einmal nach.',
      idempotency_in_progress: 'Der Server arbeitet noch daran. Bitte warten Sie einen Moment.',
      precondition_failed: 'Jemand hat das inzwischen geändert.',
      payload_too_large: 'Das ist zu groß.',
      unsupported_media_type: 'Diese Art von Datei nimmt der Server nicht an.',
      idempotency_key_reused:
        'Der Server hat das schon mit anderem Inhalt bekommen. Bitte laden Sie die Seite neu.',
    } as Record<string, string>,
    notFound: 'Diese Seite gibt es nicht',
    toStart: 'Zur Startseite',
    refusedTitle: 'Dafür fehlt Ihrer Rolle ein Recht',
    refused: (role: string) =>
      `Sie sind als ${role} angemeldet. Das Recht vergibt die Inhaberin oder der Inhaber.`,
    notTheConsole: 'Die Antwort kam nicht von der Konsole. Bitte laden Sie die Seite neu.',
  },
  signIn: {
    title: 'Anmelden',
    email: 'E-Mail',
    password: 'Passwort',
    submit: 'Anmelden',
    wrong: 'E-Mail oder Passwort stimmt nicht.',
    locked: 'Zu viele Versuche. In spätestens 15 Minuten können Sie es wieder versuchen.',
    forgotten: 'Passwort vergessen? Die Inhaberin oder der Inhaber gibt Ihnen einen neuen Link.',
    onwards: 'Nach dem Anmelden geht es auf der gewünschten Seite weiter.',
  },
  lock: {
    title: 'Gesperrt',
    why: {
      idle: (name: string) => `15 Minuten ohne Eingabe. Die Arbeit von ${name} ist noch da.`,
      ended: (name: string) =>
        `Die Sitzung ist beendet. Melden Sie sich als ${name} wieder an, dann geht es hier weiter.`,
    },
    open: 'Weiterarbeiten',
    someoneElse: 'Andere Person',
    wrong: 'Das Passwort stimmt nicht.',
    soon: 'Ihre Sitzung endet in weniger als zwei Minuten.',
    putOff: 'Neu anmelden',
  },
  filters: {
    more: 'Filter und Reihenfolge',
    sort: 'Reihenfolge',
    shop: 'Shop',
    allShops: 'Alle Shops',
    test: 'Test',
    clear: 'Filter entfernen',
    clearHint: 'Entfernen Sie Filter, oder suchen Sie nach etwas anderem.',
    named: (name: string, value: string) => `${name}: ${value}`,
    remove: (name: string) => `Filter entfernen: ${name}`,
  },
  select: { range: 'Bis hierher auswählen', all: 'Alle geladenen auswählen' },
  requests,
  deciding,
  live: liveTexts,
};

export type Texts = typeof de;
