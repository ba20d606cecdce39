import { type Colour, Drawing, GREY, INK } from './drawing';
import type { PdfPage } from './pdf-writer';
import type { Person } from './people';
import { germanDate, type Prescription, prescribedAmount, strengthText } from './prescription-content';
import type { Random } from './random';

/** A6, landscape. */
const WIDTH = 420;
const HEIGHT = 298;
const PAPER: Colour = '0.9 0.95 0.99';
const BLUE: Colour = '0.17 0.42 0.68';

/** The blue form of a private prescription, filled in by the practice's printer. */
export function privateForm(prescription: Prescription, random: Random): PdfPage {
  const drawing = new Drawing(HEIGHT).filled(0, 0, WIDTH, HEIGHT, PAPER);
  drawForm(drawing);
  drawHead(drawing, prescription, random);
  drawLines(drawing, prescription);
  drawPrescriber(drawing, prescription, random);
  return { widthPt: WIDTH, heightPt: HEIGHT, content: drawing.operators };
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
