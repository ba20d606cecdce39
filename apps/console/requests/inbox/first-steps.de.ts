export const firstSteps = {
  title: 'Die ersten Schritte',
  done: 'Erledigt',
  open: 'Offen',
  step: {
    shop: 'Shop anlegen',
    products: 'Produkte aufnehmen',
    key: 'Schlüssel anlegen',
    team: 'Team einladen',
  },
  why: {
    shop: 'An seine Domain senden Partner ihre Anfragen.',
    products: 'Mit Bestand und Preis, damit Anfragen geprüft werden können.',
    key: 'Damit greifen Ihre Warenwirtschaft und Ihre Partner zu.',
    team: 'Jede Person bekommt ein eigenes Konto mit ihren Rechten.',
  },
  hide: 'Nicht mehr zeigen',
};
