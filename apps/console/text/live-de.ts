/** German texts of what colleagues do at the same time. live-en.ts has the same keys, by its type. */
export const liveTexts = {
  openAt: (names: string) => `Gerade geöffnet bei ${names}`,
  shared: (names: string) => `Gerade auch geöffnet bei ${names}. Trotzdem freigeben?`,
  sharedTitle: (customer: string) => `Freigeben: ${customer}`,
  approve: 'Freigeben',
  cancel: 'Abbrechen',
  news: (count: number) => `${count} neu`,
  showNews: 'Neue Anfragen zeigen',
  decided: {
    'order-request.approve': (name: string, at: string) => `${name} hat um ${at} freigegeben.`,
    'order-request.reject': (name: string, at: string) => `${name} hat um ${at} abgelehnt.`,
  },
  newVersion: (version: number) =>
    `Der Partner hat inzwischen Version ${version} gesendet. Bitte prüfen Sie sie.`,
};

export type LiveTexts = typeof liveTexts;
