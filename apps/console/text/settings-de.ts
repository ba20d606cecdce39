/** German texts of the owner's settings. settings-en.ts has the same keys, by its type. */
export const settings = {
  acts: 'Aktionen',
  actsOn: (name: string) => `Aktionen: ${name}`,
  copy: 'Kopieren',
  copied: 'Kopiert.',
  shownOnce: 'Nur jetzt zu sehen. Danach kann niemand mehr nachsehen, auch wir nicht.',
  shownBefore: 'Der Server hat es schon einmal gezeigt; die Antwort kam nicht an. Bitte neu erzeugen.',
  staff: {
    title: 'Team',
    invite: 'Person einladen',
    you: 'Sie',
    off: 'abgeschaltet',
    invited: 'eingeladen',
    seen: (age: string) => `Zuletzt angemeldet ${age}`,
    neverSeen: 'Noch nie angemeldet',
    acts: {
      change: 'Name und Rolle ändern',
      link: 'Neuer Link',
      signOut: 'Überall abmelden',
      switch: 'Abschalten',
      switchOn: 'Wieder einschalten',
    },
    name: 'Name',
    email: 'E-Mail',
    role: 'Rolle',
    may: {
      owner: 'Darf alles: Team, Schlüssel, Shops, Regeln und Protokoll, dazu alles Übrige.',
      pharmacist: 'Prüft Anfragen, sieht Rezepte, bearbeitet Aufträge und öffnet sie wieder, liest Berichte.',
      clerk: 'Bearbeitet Aufträge, Produkte und Bestand. Sieht keine Rezepte.',
    },
    makeLink: 'Link erzeugen',
    link: 'Link',
    invitedTitle: (name: string) => `Einladung für ${name}`,
    linkTitle: {
      invitation: (name: string) => `Einladung für ${name}`,
      reset: (name: string) => `Neues Passwort für ${name}`,
    },
    linkText: {
      invitation: 'Wer den Link hat, setzt das Passwort dieser Person. Frühere Links gelten dann nicht mehr.',
      reset:
        'Wer den Link hat, setzt ein neues Passwort. Bis dahin gilt das bisherige. Frühere Links gelten dann nicht mehr.',
    },
    linkEnds: (when: string) => `Er gilt einmal und bis ${when}. Geben Sie ihn nur dieser Person.`,
    linkRefused: 'Dafür gibt es jetzt keinen Link. Bitte laden Sie die Seite neu.',
    passedOn: 'Ich habe den Link weitergegeben oder gespeichert.',
    taken: 'Diese E-Mail-Adresse gehört schon zu einer Person.',
    tooMany: (most: number) =>
      `Eine Organisation hat höchstens ${most} Personen, abgeschaltete eingeschlossen.`,
    lastOwner:
      'Die letzte Inhaberin oder der letzte Inhaber bleibt. Geben Sie zuerst einer anderen Person diese Rolle.',
    changeTitle: (name: string) => `${name} ändern`,
    roleEndsSessions: 'Mit der neuen Rolle meldet sich die Person neu an.',
    save: 'Speichern',
    changed: (name: string) => `${name} ist geändert.`,
    switch: {
      off: {
        title: (name: string) => `${name} abschalten?`,
        text: 'Innerhalb von zwei Sekunden sind alle Sitzungen zu Ende. Eingeschaltet wird die Person wieder von hier.',
        does: 'Abschalten',
      },
      on: {
        title: (name: string) => `${name} wieder einschalten?`,
        text: 'Die Person meldet sich mit dem Passwort von vorher an.',
        does: 'Einschalten',
      },
    },
    switched: {
      off: (name: string) => `${name} ist abgeschaltet.`,
      on: (name: string) => `${name} ist wieder eingeschaltet.`,
    },
    signOutEverywhere: {
      title: (name: string) => `${name} überall abmelden?`,
      text: 'Innerhalb von zwei Sekunden sind alle Sitzungen zu Ende. Mit dem Passwort geht es weiter.',
      does: 'Abmelden',
    },
    signedOut: (name: string) => `${name} ist überall abgemeldet.`,
  },
};

export type SettingsTexts = typeof settings;
