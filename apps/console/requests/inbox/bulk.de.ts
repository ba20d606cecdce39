/** Of the acts on selected requests. */
const many = (count: number, written: string) => (count === 1 ? '1 Anfrage' : `${written} Anfragen`);

export const bulk = {
  many,
  acts: (count: number, written: string) => `${many(count, written)} ausgewählt`,
  clear: (count: string) => `Auswahl aufheben (${count})`,
  tooMany: (most: number) => `Höchstens ${most} auf einmal: Bitte wählen Sie weniger aus.`,
  save: 'Als Tabelle speichern',
  erased: (count: number, written: string) =>
    `Zu ${many(count, written)} sind keine Rückfragen möglich: Die Daten des Kunden sind gelöscht.`,
  rejects: (count: number, written: string) =>
    `${many(count, written)} ${count === 1 ? 'wird' : 'werden'} abgelehnt.`,
  reject: (count: number, written: string) => `${many(count, written)} ablehnen`,
  held: {
    ask: (count: number, written: string) =>
      count === 1 ? 'Die Rückfrage wird gleich gesendet.' : `${written} Rückfragen werden gleich gesendet.`,
    reject: (count: number, written: string) =>
      count === 1 ? 'Die Anfrage wird gleich abgelehnt.' : `${written} Anfragen werden gleich abgelehnt.`,
  },
  running: (done: number, count: number) => `${done} von ${count} …`,
  done: {
    ask: (done: number, refused: number) =>
      `Rückfragen gesendet: ${done}.${refused === 0 ? '' : ` Nicht gesendet: ${refused}.`}`,
    reject: (done: number, refused: number) =>
      `Abgelehnt: ${done}.${refused === 0 ? '' : ` Nicht abgelehnt: ${refused}.`}`,
  },
  refused: 'Nicht entschieden',
};
