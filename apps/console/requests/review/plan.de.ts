/** German texts of the dialog that assigns or parks a request. */
export const plan = {
  plan: 'Einplanen',
  title: (customer: string) => `Einplanen: ${customer}`,
  person: 'Andere Person',
  nobody: 'Niemandem zugewiesen.',
  assigned: (name: string) => `Zugewiesen: ${name}.`,
  parked: (at: string) => `Zurückgestellt bis ${at}.`,
  take: 'Mir zuweisen',
  leave: 'Nicht mehr mir zuweisen',
  later: (at: string) => `Heute später, ${at}`,
  morning: (at: string) => `Morgen früh, ${at}`,
  now: 'Wieder offen',
  changed: 'Inzwischen hat jemand anders die Anfrage eingeplant. Sehen Sie noch einmal hin.',
};

export type PlanTexts = typeof plan;
