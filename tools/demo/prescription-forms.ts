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
  const drawing = new Drawing(FORM_HEIGHT).filled([0, 0, FORM_WIDTH, FORM_HEIGHT], PAPER);
  drawForm(drawing);
  drawHead(drawing, prescription, random);
  drawLines(drawing, prescription);
  drawPrescriber(drawing, prescription, random);
  return { widthPt: FORM_WIDTH, heightPt: FORM_HEIGHT, content: drawing.operators };
}

function drawForm(drawing: Drawing): void {
  drawing
    .outlined([12, 12, 396, 274], BLUE, 0.9)
    .line([12, 40], [408, 40], BLUE)
    .line([12, 92], [408, 92], BLUE)
    .line([240, 40], [240, 92], BLUE)
    .line([12, 208], [408, 208], BLUE)
    .line([240, 208], [240, 286], BLUE)
    .text(21, 32, 'PRIVATREZEPT', { sizePt: 12, font: 'bold', colour: BLUE })
    .text(21, 49, 'Name, Vorname des Versicherten', { sizePt: 4.6, colour: BLUE })
    .text(176, 49, 'geb. am', { sizePt: 4.6, colour: BLUE })
    .text(248, 49, 'Ausgestellt am', { sizePt: 4.6, colour: BLUE })
    .text(248, 74, 'Betriebsstätten-Nr.', { sizePt: 4.6, colour: BLUE })
    .text(330, 74, 'Arzt-Nr.', { sizePt: 4.6, colour: BLUE })
    .text(21, 106, 'Rp.', { sizePt: 10, font: 'bold', colour: BLUE })
    .text(21, 201, 'Bitte Leerräume durchstreichen', { sizePt: 4.2, colour: BLUE })
    .text(21, 217, 'Arzt / Praxis', { sizePt: 4.6, colour: BLUE })
    .text(248, 217, 'Unterschrift des Arztes', { sizePt: 4.6, colour: BLUE });
}

function drawHead(drawing: Drawing, { patient, prescriber, issuedOn }: Prescription, random: Random): void {
  drawing
    .text(300, 31, `Nr. ${random.digits(8)}`, { sizePt: 7, font: 'typewriter', colour: GREY })
    .text(21, 61, `${patient.lastName}, ${patient.firstName}`, { sizePt: 8.6, font: 'bold' })
    .text(21, 73, patient.street, { sizePt: 7.2 })
    .text(21, 84, townOf(patient), { sizePt: 7.2 })
    .text(176, 61, germanDate(patient.bornOn), { sizePt: 7.6 })
    .text(176, 84, 'Selbstzahler', { sizePt: 6, colour: GREY })
    .text(248, 61, germanDate(issuedOn), { sizePt: 8.6, font: 'bold' })
    .text(248, 85, prescriber.practiceNumber, { sizePt: 7, font: 'typewriter' })
    .text(330, 85, prescriber.doctorNumber, { sizePt: 7, font: 'typewriter' });
}

function drawLines(drawing: Drawing, prescription: Prescription): void {
  const { lines } = prescription;
  let y = 106;
  for (const line of lines) {
    drawing
      .text(46, y, line.product.name, { sizePt: 8.2, font: 'bold' })
      .text(330, y, prescribedAmount(line), { sizePt: 8.2, font: 'bold' });
    drawing.text(46, y + 9.5, line.directions, { sizePt: 6.4 });
    const strength = strengthText(line.product);
    if (strength) drawing.text(46, y + 18, strength, { sizePt: 6, colour: GREY });
    y += strength ? 33 : 24;
  }
  // Empty space is struck out by hand, so that nothing can be added.
  if (lines.length < 3) drawing.line([46, 194], [396, y + 2], INK, 0.5);
}

function drawPrescriber(
  drawing: Drawing,
  { prescriber, signature, issuedOn }: Prescription,
  random: Random,
): void {
  drawing
    .text(21, 229, prescriber.name, { sizePt: 8.2, font: 'bold' })
    .text(21, 239, prescriber.speciality, { sizePt: 6.6 })
    .text(21, 248.5, prescriber.practice, { sizePt: 6.6 })
    .text(21, 258, `${prescriber.street}, ${townOf(prescriber)}`, { sizePt: 6.6 })
    .text(21, 267.5, `Tel. ${prescriber.phone}`, { sizePt: 6.6 })
    .line([250, 266], [396, 266], GREY, 0.4);
  if (signature === 'hand') {
    drawing
      .signature(262, 258, random.between(85, 125), random)
      .text(250, 274, 'eigenhändig', { sizePt: 5, colour: GREY });
  } else if (signature !== 'none') {
    drawing
      .text(250, 236, 'Digital unterschrieben von', { sizePt: 5.4, colour: GREY })
      .text(250, 246, prescriber.name, { sizePt: 8, font: 'oblique' })
      .text(250, 256, `am ${germanDate(issuedOn)}, qualifizierte elektronische Signatur`, {
        sizePt: 5.4,
        colour: GREY,
      });
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
    .filled([0, 0, PRINTOUT_WIDTH, PRINTOUT_HEIGHT], '1 1 1')
    .text(30, 46, 'Ausdruck zur Einlösung Ihres E-Rezeptes', { sizePt: 14, font: 'bold' })
    .matrixCode(304, 66, { sizePt: 86, modules: 32 }, random)
    .text(304, 162, 'Sammelcode zur Einlösung', { sizePt: 6.4, colour: GREY })
    .text(304, 171, 'aller Verordnungen', { sizePt: 6.4, colour: GREY })
    .text(30, 78, 'für', { sizePt: 7, colour: GREY })
    .text(30, 92, `${patient.firstName} ${patient.lastName}`, { sizePt: 11, font: 'bold' })
    .text(30, 106, `geboren am ${germanDate(patient.bornOn)}`, { sizePt: 8 })
    .text(30, 117, `${patient.street}, ${townOf(patient)}`, { sizePt: 8 })
    .text(30, 138, 'ausgestellt von', { sizePt: 7, colour: GREY })
    .text(30, 151, prescriber.name, { sizePt: 9.5, font: 'bold' })
    .text(30, 163, `${prescriber.speciality}, ${prescriber.practice}`, { sizePt: 7.4 })
    .text(30, 173, `${prescriber.street}, ${townOf(prescriber)}, Tel. ${prescriber.phone}`, { sizePt: 7.4 })
    .text(30, 194, 'ausgestellt am', { sizePt: 7, colour: GREY })
    .text(30, 207, germanDate(issuedOn), { sizePt: 9.5, font: 'bold' })
    .line([30, 222], [390, 222], PRINTOUT_RULE);
  lines.forEach((line, index) => drawCode(drawing, line, 240 + index * 98, random));
  drawing
    .line([30, 540], [390, 540], PRINTOUT_RULE)
    .text(30, 552, 'Scannen Sie die Codes in der Apotheke oder zeigen Sie diesen Ausdruck vor.', {
      sizePt: 7,
      colour: GREY,
    })
    .text(30, 562, 'Dieser Ausdruck selbst ist keine Verordnung und trägt keine Unterschrift.', {
      sizePt: 7,
      colour: GREY,
    })
    .text(
      30,
      572,
      `Vorgang ${random.digits(3)}.${random.digits(3)}.${random.digits(3)}.${random.digits(3)}`,
      { sizePt: 6.4, font: 'typewriter', colour: GREY },
    );
  return { widthPt: PRINTOUT_WIDTH, heightPt: PRINTOUT_HEIGHT, content: drawing.operators };
}

function drawCode(drawing: Drawing, line: Prescription['lines'][number], y: number, random: Random): void {
  drawing
    .matrixCode(30, y, { sizePt: 72, modules: 26 }, random)
    .text(118, y + 12, line.product.name, { sizePt: 10, font: 'bold' })
    .text(118, y + 25, prescribedAmount(line), { sizePt: 9 })
    .text(118, y + 38, line.directions, { sizePt: 7.6 })
    .text(118, y + 49, strengthText(line.product), { sizePt: 7, colour: GREY })
    .text(118, y + 64, `PZN ${random.digits(8)}`, { sizePt: 7, font: 'typewriter', colour: GREY });
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
    .text(70, 190, 'Offizin Apotheke', { sizePt: 10.5 })
    .text(70, 204, 'per Datenübermittlung', { sizePt: 10.5 })
    .text(430, 240, germanDate(issuedOn), { sizePt: 10.5 })
    .text(70, 282, `Verordnung für ${name}, geboren am ${germanDate(patient.bornOn)}`, {
      sizePt: 11.5,
      font: 'bold',
    });
  const sentences = [
    'Sehr geehrte Kolleginnen und Kollegen,',
    '',
    'anbei erhalten Sie die Verordnung auf Seite 2 und den Dosierungsplan auf Seite 3.',
    'Die Therapie wurde ausführlich besprochen; eine Einweisung in die Anwendung ist erfolgt.',
    'Bei Lieferschwierigkeiten bitten wir um telefonische Rücksprache, bevor ersetzt wird.',
    '',
    'Mit freundlichen Grüßen',
  ];
  sentences.forEach((sentence, index) => drawing.text(70, 316 + index * 16, sentence, { sizePt: 10.5 }));
  if (prescription.signature !== 'none') drawing.signature(74, 466, 120, random);
  drawing
    .text(70, 486, prescriber.name, { sizePt: 10.5 })
    .text(70, 500, prescriber.speciality, { sizePt: 9, colour: GREY });
  return footed(drawing, 1);
}

function dosePlan(prescription: Prescription): PdfPage {
  const { patient, lines } = prescription;
  const drawing = letterHead(prescription)
    .text(70, 190, 'Dosierungsplan', { sizePt: 14, font: 'bold' })
    .text(70, 210, `${patient.firstName} ${patient.lastName}, ${patient.street}, ${townOf(patient)}`, {
      sizePt: 10,
    })
    .text(70, 252, 'Arzneimittel', { sizePt: 8.5, colour: GREY })
    .text(440, 252, 'Menge', { sizePt: 8.5, colour: GREY })
    .line([70, 258], [525, 258], LETTER_RULE);
  lines.forEach((line, index) => {
    const y = 276 + index * 34;
    drawing
      .text(70, y, line.product.name, { sizePt: 10, font: 'bold' })
      .text(440, y, prescribedAmount(line), { sizePt: 10 })
      .text(70, y + 13, line.directions, { sizePt: 9 })
      .line([70, y + 20], [525, y + 20], LETTER_RULE, 0.3);
  });
  drawing
    .text(70, 420, 'Nicht am Straßenverkehr teilnehmen, solange die Wirkung anhält.', { sizePt: 9.5 })
    .text(70, 434, 'Für Kinder unzugänglich, kühl und dunkel aufbewahren.', { sizePt: 9.5 });
  return footed(drawing, 3);
}

function letterHead({ prescriber }: Prescription): Drawing {
  return new Drawing(LETTER_HEIGHT)
    .filled([0, 0, LETTER_WIDTH, LETTER_HEIGHT], '1 1 1')
    .text(70, 70, prescriber.practice, { sizePt: 16, font: 'bold' })
    .text(70, 86, `${prescriber.name}, ${prescriber.speciality}`, { sizePt: 9, colour: GREY })
    .text(70, 98, `${prescriber.street}, ${townOf(prescriber)}, Tel. ${prescriber.phone}`, {
      sizePt: 9,
      colour: GREY,
    })
    .line([70, 110], [525, 110], LETTER_RULE);
}

function footed(drawing: Drawing, page: number): PdfPage {
  drawing
    .line([70, 786], [525, 786], LETTER_RULE)
    .text(483, 800, `Seite ${page} von 3`, { sizePt: 8, colour: GREY });
  return { widthPt: LETTER_WIDTH, heightPt: LETTER_HEIGHT, content: drawing.operators };
}
