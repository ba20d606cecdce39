import { type Colour, Drawing, GREY } from './drawing';
import type { PdfPage } from './pdf-writer';
import { germanDate, type Prescription, prescribedAmount } from './prescription-content';
import { privateForm, townOf } from './private-prescription';
import type { Random } from './random';

/** A4, portrait. */
const WIDTH = 595;
const HEIGHT = 842;
const RULE: Colour = '0.6 0.64 0.68';

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
    .line(70, 258, 525, 258, RULE);
  lines.forEach((line, index) => {
    const y = 276 + index * 34;
    drawing
      .text(70, y, line.product.name, 10, 'bold')
      .text(440, y, prescribedAmount(line), 10)
      .text(70, y + 13, line.directions, 9)
      .line(70, y + 20, 525, y + 20, RULE, 0.3);
  });
  drawing
    .text(70, 420, 'Nicht am Straßenverkehr teilnehmen, solange die Wirkung anhält.', 9.5)
    .text(70, 434, 'Für Kinder unzugänglich, kühl und dunkel aufbewahren.', 9.5);
  return footed(drawing, 3);
}

function letterHead({ prescriber }: Prescription): Drawing {
  return new Drawing(HEIGHT)
    .filled(0, 0, WIDTH, HEIGHT, '1 1 1')
    .text(70, 70, prescriber.practice, 16, 'bold')
    .text(70, 86, `${prescriber.name}, ${prescriber.speciality}`, 9, 'plain', GREY)
    .text(70, 98, `${prescriber.street}, ${townOf(prescriber)}, Tel. ${prescriber.phone}`, 9, 'plain', GREY)
    .line(70, 110, 525, 110, RULE);
}

function footed(drawing: Drawing, page: number): PdfPage {
  drawing.line(70, 786, 525, 786, RULE).text(483, 800, `Seite ${page} von 3`, 8, 'plain', GREY);
  return { widthPt: WIDTH, heightPt: HEIGHT, content: drawing.operators };
}
