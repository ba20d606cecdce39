import type { Hint } from './hints';

/** What each hint has compared, and what to do. */
export const help: Readonly<Record<Hint['kind'], string>> = {
  issued: 'Das Datum, das Sie eingetragen haben. Die Fristen stehen in den Prüfregeln.',
  minor:
    'Alter am Tag des Rezepts, nach dem Geburtsdatum des Partners. Prüfen Sie Dosierung und Einwilligung.',
  checked:
    'Ob jemand Ihrer Apotheke diesen Namen mit dieser Arztnummer, sonst mit dieser Postleitzahl, als geprüft vermerkt hat. Mit dem Rezept selbst wird das nicht verglichen.',
  used: 'Vergleicht die Datei mit allen früheren dieser Apotheke, Byte für Byte, und ein E-Rezept nach seiner Nummer. Ein neuer Scan desselben Rezepts wird nicht erkannt. Test-Shops und echte Shops werden getrennt verglichen. Sehen Sie die frühere Anfrage an.',
  reference:
    'Ein anderer Absender hat dieselbe Referenz benutzt, oder sie ist die ID seiner Anfrage. Nach der Freigabe trägt der neue Auftrag die ID der Anfrage. Rot: Klären Sie zuerst, ob die Person dasselbe zweimal bestellt hat.',
  duplicate:
    'Dieselbe Kundin, derselbe Kunde oder dieselbe Datei innerhalb von 24 Stunden, bei Anfragen ohne Referenz. Sehen Sie die andere Anfrage an, bevor Sie freigeben.',
  signature:
    'Ob die Datei eine elektronische Signatur enthält und danach geändert wurde. Ob die Signatur gültig ist, wird nicht geprüft.',
  stock:
    'Verfügbar ist, was für keinen Auftrag reserviert ist. Ändern Sie die Menge, oder buchen Sie einen Zugang.',
  price: 'Der Preis des Partners weicht von Ihrem ab. Klären Sie, welcher gilt.',
  payment:
    'Vergleicht Lieferung und Zahlung der Anfrage. Klären Sie die Zahlung, bevor Ware das Haus verlässt.',
  document:
    'Ohne lesbares Rezept gibt es keine Ausschnitte. Laden Sie es erneut, oder fragen Sie beim Partner nach.',
};
