import { type Colour, Drawing, GREY, INK } from './drawing';
import type { PdfPage } from './pdf-writer';
import type { Person, Prescriber } from './people';
import { amountText, type DemoProduct } from './products';
import type { Random } from './random';

/** The papers of the demo. All show the same content. */
export const PAPERS = ['private', 'electronic', 'scan', 'three-pages'] as const;
export type Paper = (typeof PAPERS)[number];

export interface PrescribedLine {
  product: DemoProduct;
  quantity: number;
  /** As directions to the patient. */
  directions: string;
}

export interface Prescription {
  /** Seed of what is drawn: equal seeds and contents give equal bytes. */
  seed: string;
  paper: Paper;
  patient: Person;
  prescriber: Prescriber;
  /** YYYY-MM-DD. */
  issuedOn: string;
  lines: PrescribedLine[];
  /** By hand on paper; `digital` and `altered` are signatures of the file. */
  signature: 'hand' | 'none' | 'digital' | 'altered';
}

/** `12.11.2026`. */
export function germanDate(day: string): string {
  return day.split('-').reverse().join('.');
}

export function prescribedAmount({ quantity, product }: PrescribedLine): string {
  return amountText(quantity, product);
}

/** `THC 18 % / CBD 1 %, unzerkleinert`; empty for a product without. */
export function strengthText({ thc, cbd, unit }: DemoProduct): string {
  if (thc === null || cbd === null) return '';
  return `THC ${thc} % / CBD ${cbd} %${unit === 'g' ? ', unzerkleinert' : ', ölige Lösung'}`;
}

/** A6, landscape. */
const FORM_WIDTH = 420;
const FORM_HEIGHT = 298;
const PAPER: Colour = '0.9 0.95 0.99';
const BLUE: Colour = '0.17 0.42 0.68';

/** The blue form of a private prescription, filled in by the practice's printer. */
export function privateForm(prescription: Prescription, random: Random): PdfPage {
  const drawing = new Drawing(FORM_HEIGHT).filled(0, 0, FORM_WIDTH, FORM_HEIGHT, PAPER);
  drawForm(drawing);
  drawHead(drawing, prescription, random);
  drawLines(drawing, prescription);
  drawPrescriber(drawing, prescription, random);
  return { widthPt: FORM_WIDTH, heightPt: FORM_HEIGHT, content: drawing.operators };
}

function drawForm(drawing: Drawing): void {
  drawing
    .outlined(12, 12, 396, 274, BLUE, 0.9)
    .line(12, 40, 408, 40, BLUE)
    .line(12, 92, 408, 92, BLUE)
    .line(240, 40, 240, 92, BLUE)
    .line(12, 208, 408, 208, BLUE)
    .line(240, 208, 240, 286, BLUE)
    .text(21, 32, 'PRIVATREZEPT', 12, 'bold', BLUE)
    .text(21, 49, 'Name, Vorname des Versicherten', 4.6, 'plain', BLUE)
    .text(176, 49, 'geb. am', 4.6, 'plain', BLUE)
    .text(248, 49, 'Ausgestellt am', 4.6, 'plain', BLUE)
    .text(248, 74, 'Betriebsstätten-Nr.', 4.6, 'plain', BLUE)
    .text(330, 74, 'Arzt-Nr.', 4.6, 'plain', BLUE)
    .text(21, 106, 'Rp.', 10, 'bold', BLUE)
    .text(21, 201, 'Bitte Leerräume durchstreichen', 4.2, 'plain', BLUE)
    .text(21, 217, 'Arzt / Praxis', 4.6, 'plain', BLUE)
    .text(248, 217, 'Unterschrift des Arztes', 4.6, 'plain', BLUE);
}

function drawHead(drawing: Drawing, { patient, prescriber, issuedOn }: Prescription, random: Random): void {
  drawing
    .text(300, 31, `Nr. ${random.digits(8)}`, 7, 'typewriter', GREY)
    .text(21, 61, `${patient.lastName}, ${patient.firstName}`, 8.6, 'bold')
    .text(21, 73, patient.street, 7.2)
    .text(21, 84, townOf(patient), 7.2)
    .text(176, 61, germanDate(patient.bornOn), 7.6)
    .text(176, 84, 'Selbstzahler', 6, 'plain', GREY)
    .text(248, 61, germanDate(issuedOn), 8.6, 'bold')
    .text(248, 85, prescriber.practiceNumber, 7, 'typewriter')
    .text(330, 85, prescriber.doctorNumber, 7, 'typewriter');
}

function drawLines(drawing: Drawing, prescription: Prescription): void {
  const { lines } = prescription;
  let y = 106;
  for (const line of lines) {
    drawing.text(46, y, line.product.name, 8.2, 'bold').text(330, y, prescribedAmount(line), 8.2, 'bold');
    drawing.text(46, y + 9.5, line.directions, 6.4);
    const strength = strengthText(line.product);
    if (strength) drawing.text(46, y + 18, strength, 6, 'plain', GREY);
    y += strength ? 33 : 24;
  }
  // Empty space is struck out by hand, so that nothing can be added.
  if (lines.length < 3) drawing.line(46, 194, 396, y + 2, INK, 0.5);
}

function drawPrescriber(
  drawing: Drawing,
  { prescriber, signature, issuedOn }: Prescription,
  random: Random,
): void {
  drawing
    .text(21, 229, prescriber.name, 8.2, 'bold')
    .text(21, 239, prescriber.speciality, 6.6)
    .text(21, 248.5, prescriber.practice, 6.6)
    .text(21, 258, `${prescriber.street}, ${townOf(prescriber)}`, 6.6)
    .text(21, 267.5, `Tel. ${prescriber.phone}`, 6.6)
    .line(250, 266, 396, 266, GREY, 0.4);
  if (signature === 'hand') {
    drawing
      .signature(262, 258, random.between(85, 125), random)
      .text(250, 274, 'eigenhändig', 5, 'plain', GREY);
  } else if (signature !== 'none') {
    drawing
      .text(250, 236, 'Digital unterschrieben von', 5.4, 'plain', GREY)
      .text(250, 246, prescriber.name, 8, 'oblique')
      .text(250, 256, `am ${germanDate(issuedOn)}, qualifizierte elektronische Signatur`, 5.4, 'plain', GREY);
  }
}

export function townOf({ postalCode, town }: Pick<Person, 'postalCode' | 'town'>): string {
  return `${postalCode} ${town}`;
}

/** A5, portrait. */
const PRINTOUT_WIDTH = 420;
const PRINTOUT_HEIGHT = 595;
const PRINTOUT_RULE: Colour = '0.72 0.75 0.78';

/** The printout that a practice hands over beside an electronic prescription: codes and their meaning. */
export function electronicPrintout(prescription: Prescription, random: Random): PdfPage {
  const { patient, prescriber, issuedOn, lines } = prescription;
  const drawing = new Drawing(PRINTOUT_HEIGHT)
    .filled(0, 0, PRINTOUT_WIDTH, PRINTOUT_HEIGHT, '1 1 1')
    .text(30, 46, 'Ausdruck zur Einlösung Ihres E-Rezeptes', 14, 'bold')
    .matrixCode(304, 66, 86, 32, random)
    .text(304, 162, 'Sammelcode zur Einlösung', 6.4, 'plain', GREY)
    .text(304, 171, 'aller Verordnungen', 6.4, 'plain', GREY)
    .text(30, 78, 'für', 7, 'plain', GREY)
    .text(30, 92, `${patient.firstName} ${patient.lastName}`, 11, 'bold')
    .text(30, 106, `geboren am ${germanDate(patient.bornOn)}`, 8)
    .text(30, 117, `${patient.street}, ${townOf(patient)}`, 8)
    .text(30, 138, 'ausgestellt von', 7, 'plain', GREY)
    .text(30, 151, prescriber.name, 9.5, 'bold')
    .text(30, 163, `${prescriber.speciality}, ${prescriber.practice}`, 7.4)
    .text(30, 173, `${prescriber.street}, ${townOf(prescriber)}, Tel. ${prescriber.phone}`, 7.4)
    .text(30, 194, 'ausgestellt am', 7, 'plain', GREY)
    .text(30, 207, germanDate(issuedOn), 9.5, 'bold')
    .line(30, 222, 390, 222, PRINTOUT_RULE);
  lines.forEach((line, index) => drawCode(drawing, line, 240 + index * 98, random));
  drawing
    .line(30, 540, 390, 540, PRINTOUT_RULE)
    .text(
      30,
      552,
      'Scannen Sie die Codes in der Apotheke oder zeigen Sie diesen Ausdruck vor.',
      7,
      'plain',
      GREY,
    )
    .text(
      30,
      562,
      'Dieser Ausdruck selbst ist keine Verordnung und trägt keine Unterschrift.',
      7,
      'plain',
      GREY,
    )
    .text(
      30,
      572,
      `Vorgang ${random.digits(3)}.${random.digits(3)}.${random.digits(3)}.${random.digits(3)}`,
      6.4,
      'typewriter',
      GREY,
    );
  return { widthPt: PRINTOUT_WIDTH, heightPt: PRINTOUT_HEIGHT, content: drawing.operators };
}

function drawCode(drawing: Drawing, line: Prescription['lines'][number], y: number, random: Random): void {
  drawing
    .matrixCode(30, y, 72, 26, random)
    .text(118, y + 12, line.product.name, 10, 'bold', INK)
    .text(118, y + 25, prescribedAmount(line), 9)
    .text(118, y + 38, line.directions, 7.6)
    .text(118, y + 49, strengthText(line.product), 7, 'plain', GREY)
    .text(118, y + 64, `PZN ${random.digits(8)}`, 7, 'typewriter', GREY);
}

/** A4, portrait. */
const LETTER_WIDTH = 595;
const LETTER_HEIGHT = 842;
const LETTER_RULE: Colour = '0.6 0.64 0.68';

/** A letter of the practice, the prescription itself, and the plan of doses. */
export function threePages(prescription: Prescription, random: Random): PdfPage[] {
  return [letter(prescription, random), privateForm(prescription, random), dosePlan(prescription)];
}

function letter(prescription: Prescription, random: Random): PdfPage {
  const { patient, prescriber, issuedOn } = prescription;
  const name = `${patient.firstName} ${patient.lastName}`;
  const drawing = letterHead(prescription)
    .text(70, 190, 'Offizin Apotheke', 10.5)
    .text(70, 204, 'per Datenübermittlung', 10.5)
    .text(430, 240, germanDate(issuedOn), 10.5)
    .text(70, 282, `Verordnung für ${name}, geboren am ${germanDate(patient.bornOn)}`, 11.5, 'bold');
  const sentences = [
    'Sehr geehrte Kolleginnen und Kollegen,',
    '',
    'anbei erhalten Sie die Verordnung auf Seite 2 und den Dosierungsplan auf Seite 3.',
    'Die Therapie wurde ausführlich besprochen; eine Einweisung in die Anwendung ist erfolgt.',
    'Bei Lieferschwierigkeiten bitten wir um telefonische Rücksprache, bevor ersetzt wird.',
    '',
    'Mit freundlichen Grüßen',
  ];
  sentences.forEach((sentence, index) => drawing.text(70, 316 + index * 16, sentence, 10.5));
  if (prescription.signature !== 'none') drawing.signature(74, 466, 120, random);
  drawing.text(70, 486, prescriber.name, 10.5).text(70, 500, prescriber.speciality, 9, 'plain', GREY);
  return footed(drawing, 1);
}

function dosePlan(prescription: Prescription): PdfPage {
  const { patient, lines } = prescription;
  const drawing = letterHead(prescription)
    .text(70, 190, 'Dosierungsplan', 14, 'bold')
    .text(70, 210, `${patient.firstName} ${patient.lastName}, ${patient.street}, ${townOf(patient)}`, 10)
    .text(70, 252, 'Arzneimittel', 8.5, 'plain', GREY)
    .text(440, 252, 'Menge', 8.5, 'plain', GREY)
    .line(70, 258, 525, 258, LETTER_RULE);
  lines.forEach((line, index) => {
    const y = 276 + index * 34;
    drawing
      .text(70, y, line.product.name, 10, 'bold')
      .text(440, y, prescribedAmount(line), 10)
      .text(70, y + 13, line.directions, 9)
      .line(70, y + 20, 525, y + 20, LETTER_RULE, 0.3);
  });
  drawing
    .text(70, 420, 'Nicht am Straßenverkehr teilnehmen, solange die Wirkung anhält.', 9.5)
    .text(70, 434, 'Für Kinder unzugänglich, kühl und dunkel aufbewahren.', 9.5);
  return footed(drawing, 3);
}

function letterHead({ prescriber }: Prescription): Drawing {
  return new Drawing(LETTER_HEIGHT)
    .filled(0, 0, LETTER_WIDTH, LETTER_HEIGHT, '1 1 1')
    .text(70, 70, prescriber.practice, 16, 'bold')
    .text(70, 86, `${prescriber.name}, ${prescriber.speciality}`, 9, 'plain', GREY)
    .text(70, 98, `${prescriber.street}, ${townOf(prescriber)}, Tel. ${prescriber.phone}`, 9, 'plain', GREY)
    .line(70, 110, 525, 110, LETTER_RULE);
}

function footed(drawing: Drawing, page: number): PdfPage {
  drawing.line(70, 786, 525, 786, LETTER_RULE).text(483, 800, `Seite ${page} von 3`, 8, 'plain', GREY);
  return { widthPt: LETTER_WIDTH, heightPt: LETTER_HEIGHT, content: drawing.operators };
}
