/** German texts of an invitation and a new password. welcome.en.ts has the same keys, by its type. */
export const welcome = {
  invitation: 'Willkommen bei Offizin',
  reset: 'Neues Passwort',
  invitationFor: (organization: string) => `Sie sind eingeladen, bei ${organization} mitzuarbeiten.`,
  resetFor: (organization: string) => `Für Ihr Konto bei ${organization}.`,
  name: 'Ihr Name',
  newPassword: 'Neues Passwort',
  passwordHint: (least: number) => `Mindestens ${least} Zeichen. Mehrere Wörter merkt man sich leicht.`,
  tooShort: (least: number) => `Das Passwort hat weniger als ${least} Zeichen.`,
  submit: 'Passwort setzen und anmelden',
  gone: 'Dieser Link gilt nicht mehr',
  goneWhy: 'Er ist abgelaufen oder schon benutzt. Bitte lassen Sie sich einen neuen geben.',
  toSignIn: 'Zur Anmeldung',
};

export type WelcomeTexts = typeof welcome;
