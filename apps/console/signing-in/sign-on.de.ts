/** German texts of single sign-on. sign-on.en.ts has the same keys, by its type. */
export const signOn = {
  go: 'Mit dem Konto Ihrer Organisation anmelden',
  again: 'Beim Anbieter neu anmelden',
  refusals: {
    refused:
      'Der Anbieter hat Sie nicht angemeldet, oder zu Ihrer E-Mail gehört hier kein aktives Konto. Die Inhaberin oder der Inhaber kann helfen.',
    too_old:
      'Die Anmeldung hat zu lange gedauert oder wurde neu begonnen. Bitte versuchen Sie es noch einmal.',
    unavailable:
      'Der Anbieter antwortet gerade nicht. Bitte versuchen Sie es später, oder nehmen Sie das Passwort.',
  },
  title: 'Anmeldeanbieter',
  what: 'Ihr Team meldet sich mit dem Konto an, das es schon hat (OpenID Connect). Passwörter gelten weiter.',
  who: 'Nur wer unter Team steht, kommt herein: mit derselben E-Mail, die der Anbieter geprüft hat.',
  forProvider: 'Für den Anbieter und das Team',
  redirect: 'Weiterleitungsadresse, für den Anbieter',
  link: 'Link zum Anmelden, für das Team',
  provider: 'Anbieter',
  issuer: 'Adresse des Anbieters (Issuer)',
  issuerHint: 'Genau so, wie der Anbieter sich selbst nennt. Beim Speichern wird sie abgefragt.',
  issuerRefused: (message: string) => `Diese Adresse geht nicht. Der Server meldet: ${message}`,
  clientId: 'Client-ID',
  noClientId: 'Diese Client-ID nimmt der Server nicht an.',
  secret: 'Client-Secret',
  secretStored: 'Hinterlegt. Leer lassen, wenn es bleiben soll.',
  secretHint: 'Wird nie wieder gezeigt.',
  needsSecret: 'Ein neuer Anbieter braucht sein eigenes Client-Secret.',
  changed: (who: string, when: string) => `Zuletzt geändert von ${who} am ${when}`,
  save: 'Speichern',
  saved: 'Anbieter gespeichert.',
  conflict: 'Jemand hat den Anbieter inzwischen geändert. Ihre Änderungen sind nicht gespeichert.',
  reload: 'Neuen Stand laden und eigene Änderungen verwerfen',
  remove: 'Anbieter entfernen',
  removeTitle: 'Anbieter entfernen?',
  removeText:
    'Niemand meldet sich dann mehr über ihn an. Laufende Sitzungen bleiben. Passwörter gelten weiter.',
  removed: 'Anbieter entfernt.',
};

export type SignOnTexts = typeof signOn;
