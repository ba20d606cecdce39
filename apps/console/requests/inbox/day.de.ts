/** Of the list that a person ticks off at the end of a day. */
export const day = {
  title: 'Tageskontrolle',
  on: 'Tag',
  hint: 'Alles, was an diesem Tag freigegeben wurde. Eine andere Person sieht es noch einmal durch.',
  notKept:
    'Häkchen werden nicht gespeichert: Sie gelten nur in diesem Fenster. Zum Aufbewahren drucken Sie die Liste.',
  none: 'An diesem Tag wurde nichts freigegeben.',
  ticked: (done: string, count: string) => `${done} von ${count} abgehakt`,
  cut: (shown: string, total: string) => `Nur die ersten ${shown} von ${total} stehen hier.`,
  print: 'Drucken',
  back: 'Zur Liste',
  seen: 'Geprüft',
  tick: (customer: string) => `${customer} geprüft`,
  at: 'Uhrzeit',
  customer: 'Kunde',
  lines: 'Positionen',
  more: (count: number) => `… und ${count} weitere`,
  by: 'Freigegeben von',
  both: (first: string, second: string) => `${first} und ${second}`,
  order: 'Auftrag',
  cancelled: 'Storniert',
  signature: 'Kontrolliert: Datum, Unterschrift',
};
