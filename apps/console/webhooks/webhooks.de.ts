import type { DeliveryStatus, DisabledReason } from '@offizin/contracts/webhooks/webhooks';

const statuses: Record<DeliveryStatus, string> = {
  pending: 'Ausstehend',
  succeeded: 'Zugestellt',
  failed: 'Fehlgeschlagen',
  cancelled: 'Abgebrochen',
};

const offWhy: Record<DisabledReason, (at: string) => string> = {
  receiver_gone: (at) =>
    `Abgeschaltet am ${at}: Der Empfänger hat geantwortet, dass es ihn nicht mehr gibt (410).`,
  only_failures: (at) => `Abgeschaltet am ${at}: Fünf Tage lang ist jeder Versuch fehlgeschlagen.`,
};

const FAILURES: Readonly<Record<string, string>> = {
  refused_by_policy: 'Adresse nicht erlaubt',
  dns: 'Name nicht gefunden',
  connect: 'keine Verbindung',
  tls: 'Zertifikat nicht gültig',
  timeout: 'keine rechtzeitige Antwort',
  reset: 'Verbindung abgebrochen',
  protocol: 'keine gültige HTTP-Antwort',
  event_gone: 'nicht gesendet: Das Ereignis ist gelöscht',
};

/** German texts of the webhook pages. webhooks.en.ts has the same keys, by its type. */
export const webhooks = {
  title: 'Webhooks',
  about: 'Offizin meldet Ereignisse an Ihre Systeme. Hier steht, ob sie ankommen.',
  create: 'Endpunkt anlegen',
  none: 'Noch kein Endpunkt',
  noneHint: 'Ein Endpunkt bekommt jede Änderung von Aufträgen, Anfragen und Bestand, signiert.',
  url: 'Adresse',
  urlHint: 'Eine öffentliche Adresse mit https.',
  noUrl: 'Diese Adresse nimmt der Server nicht an. Sie muss mit https beginnen und öffentlich sein.',
  description: 'Beschreibung',
  tooMany: 'Mehr Endpunkte sind nicht möglich: Löschen Sie zuerst einen.',
  everyKind: 'Alle Ereignisse',
  receivesAll: 'Bekommt alle Ereignisse.',
  receives: (kinds: string) => `Bekommt ${kinds}.`,
  kinds: 'Ereignisse',
  kindsOf: { every: 'Alle', some: 'Ausgewählte' },
  rate: 'Höchstens so viele je Sekunde',
  rateHint: 'Leer: ohne Grenze.',
  noRate: 'Eine Zahl von 1 bis 1000, oder leer für keine Grenze.',
  states: { active: 'aktiv', failing: 'gestört', paused: 'pausiert', off: 'abgeschaltet' },
  failingSince: (at: string) => `Seit ${at} schlägt jeder Versuch fehl.`,
  pausedHint: 'Pausiert: Es wird nichts gesendet.',
  offWhy,
  health: (delivered: number, failed: number) =>
    `Versuche in 24 Stunden: ${delivered} angenommen, ${failed} fehlgeschlagen`,
  hour: (at: string, delivered: number, failed: number) =>
    `ab ${at}: ${delivered} angenommen, ${failed} fehlgeschlagen`,
  noAttempts: 'Kein Versuch in 24 Stunden',
  failedShare: (percent: number) => `${percent} % fehlgeschlagen`,
  p95: (ms: string) => `95 % in höchstens ${ms} ms`,
  secretTitle: 'Geheimnis des Endpunkts',
  secret: 'Geheimnis',
  secretHint: 'Der Empfänger prüft damit die Signatur jeder Zustellung.',
  secretStored: 'Ich habe das Geheimnis gespeichert.',
  previousUntil: (at: string) => `Das bisherige Geheimnis signiert noch bis ${at} mit.`,
  toList: 'Alle Endpunkte',
  acts: 'Aktionen',
  test: 'Testereignis senden',
  tested: 'Das Testereignis ist unterwegs.',
  rotate: 'Neues Geheimnis',
  rotateText:
    'Das neue Geheimnis wird einmal gezeigt. Das bisherige signiert 24 Stunden lang mit; X-Service-Signature benutzt so lange noch das bisherige.',
  edit: 'Bearbeiten',
  save: 'Speichern',
  delete: 'Löschen',
  deleteText:
    'Ausstehende Zustellungen werden abgebrochen. Der Endpunkt und seine Zustellungen sind dann nicht mehr zu sehen.',
  pause: 'Pausieren',
  pauseText:
    'Ausstehende Zustellungen werden abgebrochen, und Fortsetzen bringt sie nicht zurück. Beim Fortsetzen werden Sie gefragt, ob Verpasstes gesendet werden soll.',
  asks: { edit: 'Endpunkt bearbeiten', pause: 'Endpunkt pausieren?', delete: 'Endpunkt löschen?' },
  resume: 'Fortsetzen',
  resumed: 'Der Endpunkt bekommt wieder Ereignisse.',
  recover: 'Verpasstes senden',
  since: 'Verpasst seit',
  sinceChoices: { hour: '1 Stunde', day: '24 Stunden', week: '7 Tagen', fortnight: '14 Tagen' },
  missed: (count: number, written: string, more: boolean) => {
    if (more) return `Mehr als ${written} Zustellungen fehlen. Gesendet werden die ältesten ${written}.`;
    if (count === 0) return 'Nichts verpasst.';
    return count === 1
      ? 'Eine Zustellung fehlt und wird gesendet.'
      : `${written} Zustellungen fehlen und werden gesendet.`;
  },
  recoverHint:
    'Empfänger sehen dieselbe Kennung der Zustellung wie beim ersten Mal und können Doppeltes daran erkennen.',
  sendMissed: (count: string) => `${count} senden`,
  recovered: (count: number, written: string, more: boolean) => {
    const sent = count === 1 ? 'Eine Zustellung ist unterwegs' : `${written} Zustellungen sind unterwegs`;
    return more ? `${sent}; es fehlen noch weitere.` : `${sent}.`;
  },
  deliveries: 'Zustellungen',
  allDeliveries: 'Alle Zustellungen',
  aboutDeliveries: 'Jedes Ereignis an jeden Endpunkt: was ankam, was nicht und warum.',
  endpoint: 'Endpunkt',
  statusesLabel: 'Status der Zustellungen',
  statuses,
  all: 'Alle',
  kind: 'Art des Ereignisses',
  orderId: 'Kennung des Auftrags',
  period: 'Zeitraum',
  periods: { all: 'Alle Zeiten', hour: 'Letzte Stunde', day: 'Letzte 24 Stunden', week: 'Letzte 7 Tage' },
  noDeliveries: 'Noch keine Zustellung',
  noDeliveriesHint: 'Jedes Ereignis erscheint hier, auch ein Testereignis.',
  noneFiltered: 'Keine Zustellung passt zu diesem Filter',
  column: {
    kind: 'Ereignis',
    endpoint: 'Endpunkt',
    status: 'Status',
    object: 'Objekt',
    tries: 'Versuche',
    next: 'Nächster Versuch',
    created: 'Erstellt',
  },
  next: 'Nächste Zustellung',
  previous: 'Vorige Zustellung',
  openOne: 'Zustellung öffnen',
  back: 'Zur Liste',
  delivery: 'Zustellung',
  deliveryRegion: 'Angaben zur Zustellung',
  createdAt: (at: string) => `erstellt ${at}`,
  nextAt: (at: string) => `Nächster Versuch ${at}`,
  attempts: 'Versuche',
  attemptsOf: (count: number, written: string) => (count === 1 ? '1 Versuch' : `${written} Versuche`),
  product: (number: string) => `Produkt ${number}`,
  objects: [
    ['order_request', 'Anfrage'],
    ['order', 'Auftrag'],
    ['prescription', 'Rezept'],
    ['customer', 'Kunde'],
    ['webhook', 'Endpunkt'],
  ] as readonly (readonly [string, string])[],
  noAttempt: 'Noch kein Versuch.',
  attempt: (number: number) => `Versuch ${number}`,
  answered: (status: number) => `Antwort ${status}`,
  failures: (failure: string | null) => FAILURES[failure ?? ''] ?? 'keine Antwort',
  took: (ms: string) => `${ms} ms`,
  answerOf: (number: number) => `Antwort auf Versuch ${number}`,
  body: 'Inhalt',
  toOrder: 'Zum Auftrag',
  eventGone: 'Das Ereignis ist gelöscht und kann nicht mehr gesendet werden.',
  headers: 'Kopfzeilen und Signatur',
  signatures: [
    ['webhook-timestamp', 'Sekunden seit 1970, je Versuch'],
    ['webhook-signature', 'v1, und base64 von HMAC-SHA256 über „Kennung.Zeit.Inhalt“'],
    ['X-Service-Signature', 'sha256= und hex von HMAC-SHA256 über den Inhalt'],
  ] as readonly (readonly [string, string])[],
  howToCheck:
    'So prüfen Sie: den HMAC über die empfangenen Bytes berechnen, bevor sie als JSON gelesen werden, und in konstanter Zeit vergleichen. Für webhook-signature ist der Schlüssel der dekodierte Teil nach „whsec_“, für X-Service-Signature der ganze Text. Zustellungen mit bekannter Kennung nicht noch einmal verarbeiten.',
  sendAgain: 'Erneut senden',
  select: {
    one: 'Zustellung auswählen',
    row: (kind: string, at: string) => `${kind} vom ${at} auswählen`,
    column: 'Auswahl',
    acts: (count: number, written: string) =>
      count === 1 ? '1 Zustellung ausgewählt' : `${written} Zustellungen ausgewählt`,
    clear: (count: string) => `Auswahl aufheben (${count})`,
    tooMany: (most: number) => `Höchstens ${most} auf einmal: Bitte wählen Sie weniger aus.`,
  },
  again: {
    title: (count: number, written: string) =>
      count === 1 ? '1 Zustellung erneut senden' : `${written} Zustellungen erneut senden`,
    running: (done: number, count: number) => `${done} von ${count} …`,
    done: (sent: number, refused: number) => {
      const all = sent === 1 ? 'Eine Zustellung wird erneut gesendet' : `${sent} werden erneut gesendet`;
      return refused > 0 ? `${all}, ${refused} nicht:` : `${all}.`;
    },
    refused: 'Nicht gesendet',
    off: 'Der Endpunkt ist pausiert oder abgeschaltet.',
  },
  sentAgain: 'Die Zustellung wird erneut gesendet.',
  copyCurl: 'Als curl kopieren',
  copiedCurl: 'Kopiert. Die Signatur fehlt darin.',
  blockedOffline: 'Keine Verbindung: Senden ist gesperrt.',
};

export type WebhookTexts = typeof webhooks;
