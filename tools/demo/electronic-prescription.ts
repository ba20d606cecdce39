import { type Colour, Drawing, GREY, INK } from './drawing';
import type { PdfPage } from './pdf-writer';
import { germanDate, type Prescription, prescribedAmount, strengthText } from './prescription-content';
import { townOf } from './private-prescription';
import type { Random } from './random';

/** A5, portrait. */
const WIDTH = 420;
const HEIGHT = 595;
const RULE: Colour = '0.72 0.75 0.78';

/** The printout that a practice hands over beside an electronic prescription: codes, and what they stand for. */
export function electronicPrintout(prescription: Prescription, random: Random): PdfPage {
  const { patient, prescriber, issuedOn, lines } = prescription;
  const drawing = new Drawing(HEIGHT)
    .filled(0, 0, WIDTH, HEIGHT, '1 1 1')
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
    .line(30, 222, 390, 222, RULE);
  lines.forEach((line, index) => drawCode(drawing, line, 240 + index * 98, random));
  drawing
    .line(30, 540, 390, 540, RULE)
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
  return { widthPt: WIDTH, heightPt: HEIGHT, content: drawing.operators };
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
