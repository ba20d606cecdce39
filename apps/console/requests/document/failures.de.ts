/** Why no document is shown. */
export const failures = {
  broken: 'Die Datei ist kein lesbares PDF. Fragen Sie beim Partner nach.',
  locked: 'Die Datei braucht ein Passwort. Speichern Sie sie, oder fragen Sie beim Partner nach.',
  late: 'Das Rezept lädt langsam. Es erscheint, sobald es da ist.',
};

export type FailureTexts = typeof failures;
