import type { Hint } from './hints';

/** What each hint has compared, and what to do. */
export const help: Readonly<Record<Hint['kind'], string>> = {
  name: 'Sucht alle Teile des Namens beieinander im Text des Rezepts. Fehlt er, vergleichen Sie mit dem Auge; bei einem anderen Namen fragen Sie nach.',
  issued:
    'Das jüngste Datum nach einem Wort wie „Ausgestellt am“, oder das Datum, das Sie eingetragen haben. Die Fristen stehen in den Einstellungen der Prüfung.',
  other:
    'Stärke, Form oder Packung beim Namen sind andere als in der Anfrage. Vergleichen Sie die rot markierte Stelle; fragen Sie nach oder lehnen Sie ab.',
  missing:
    'Der Name oder ein Teil der Position steht nicht eindeutig im Text. Vergleichen Sie diese Position mit dem Auge.',
  amounts:
    'Sucht die Menge beim Namen; Zahlen einer Dosierung zählen nicht. Lesen Sie die Menge selbst nach.',
  same: 'Verglichen wurde nur, was hier aufgezählt ist. Dosierung und Plausibilität beurteilen Sie.',
  birth:
    'Sucht das Geburtsdatum des Partners im Text, auch mit zweistelligem Jahr. Rot: Neben „geboren“ steht ein anderes. Vergleichen Sie mit dem Auge.',
  dated:
    'Sucht das Rezeptdatum des Partners im Text. Rot: Als Ausstellung steht ein anderes da. Vergleichen Sie mit dem Auge.',
  prescriber:
    'Sucht Name und Arztnummer des Partners im Text, jedes für sich. Ob diese Person verordnen darf, wird nicht geprüft.',
  otherNumber: 'Im Text steht eine andere Arztnummer als die des Partners. Klären Sie, wer verordnet hat.',
  minor:
    'Alter am Tag des Rezepts, nach dem Geburtsdatum des Partners. Prüfen Sie Dosierung und Einwilligung.',
  checked:
    'Ob jemand Ihrer Apotheke diesen Namen mit dieser Arztnummer, sonst mit dieser Postleitzahl, als geprüft gemerkt hat. Das Rezept selbst wird damit nicht verglichen.',
  scan: 'Das Rezept ist ein Bild: Nichts daraus wurde verglichen. Lesen Sie es ganz.',
  used: 'Vergleicht die Datei mit allen früheren dieser Apotheke, Byte für Byte, und ein E-Rezept nach seiner Nummer. Ein neuer Scan desselben Rezepts fällt nicht auf. Testshops und echte Shops werden getrennt verglichen. Sehen Sie die frühere Anfrage an.',
  reference:
    'Ein anderer Absender hat dieselbe Referenz benutzt. Nach der Freigabe trägt der neue Auftrag die ID der Anfrage. Rot: Klären Sie zuerst, ob die Person dasselbe zweimal bestellt hat.',
  duplicate:
    'Dieselbe Kundin, derselbe Kunde oder dieselbe Datei innerhalb von 24 Stunden, bei Anfragen ohne Referenz. Sehen Sie die andere Anfrage an, bevor Sie freigeben.',
  signature:
    'Ob die Datei eine elektronische Signatur enthält und danach geändert wurde. Ob die Signatur gültig ist, wird nicht geprüft.',
  stock: 'Verfügbar ist, was kein Auftrag hält. Ändern Sie die Menge, oder buchen Sie Ware nach.',
  price: 'Der Preis des Partners ist ein anderer als Ihrer. Klären Sie, welcher gilt.',
  payment:
    'Vergleicht Lieferung und Zahlung der Anfrage. Klären Sie die Zahlung, bevor Ware das Haus verlässt.',
  document:
    'Ohne lesbares Rezept wurde nichts verglichen. Laden Sie es erneut, oder fragen Sie beim Partner nach.',
};
