import { deflateSync } from 'node:zlib';
import { Drawing } from './drawing';
import type { PdfPage } from './pdf-writer';
import { germanDate, type Prescription, prescribedAmount, strengthText } from './prescription-content';
import { townOf } from './private-prescription';
import type { Random } from './random';
import { dotsOf } from './scan-font';

/** A6 at 130 dots per inch. */
const WIDTH_PX = 760;
const HEIGHT_PX = 538;
const [PAPER, FORM, INK, SHADOW] = [0, 1, 2, 3];
/** Paper, form, ink, and the shadow beside the sheet. */
const PALETTE = 'e9eef26f93bd2c2f4ab4b8bd';
const LETTER_PX = 12;

/** A prescription that lay a little askew on a scanner: a picture without text. */
export function scanPicture(prescription: Prescription, random: Random): PdfPage {
  const sheet = new Sheet();
  drawForm(sheet);
  fillIn(sheet, prescription);
  if (prescription.signature !== 'none') scribble(sheet, random);
  const deflated = deflateSync(askew(sheet, random), { level: 9 });
  const [widthPt, heightPt] = [420, Math.round((420 * HEIGHT_PX) / WIDTH_PX)];
  const content = new Drawing(heightPt).picture(0, 0, widthPt, heightPt).operators;
  const picture = { widthPx: WIDTH_PX, heightPx: HEIGHT_PX, palette: PALETTE, deflated };
  return { widthPt, heightPt, content, picture };
}

class Sheet {
  readonly pixels = new Uint8Array(WIDTH_PX * HEIGHT_PX);

  box(x: number, y: number, width: number, height: number, colour: number): void {
    for (let row = y; row < y + height; row += 1) {
      for (let column = x; column < x + width; column += 1) {
        if (row >= 0 && row < HEIGHT_PX && column >= 0 && column < WIDTH_PX)
          this.pixels[row * WIDTH_PX + column] = colour;
      }
    }
  }

  text(x: number, y: number, text: string, colour = INK, scale = 2): void {
    [...text].forEach((letter, index) => {
      dotsOf(letter).forEach((dots, column) => {
        for (let row = 0; row < 8; row += 1) {
          if ((dots >> row) & 1)
            this.box(
              x + index * LETTER_PX * (scale / 2) + column * scale,
              y + row * scale,
              scale,
              scale,
              colour,
            );
        }
      });
    });
  }
}

function drawForm(sheet: Sheet): void {
  const [left, right] = [26, 734];
  for (const y of [26, 78, 176, 376, 512]) sheet.box(left, y, right - left, 2, FORM);
  for (const x of [left, right - 2]) sheet.box(x, 26, 2, 488, FORM);
  sheet.box(450, 78, 2, 98, FORM);
  sheet.box(430, 376, 2, 136, FORM);
  sheet.text(44, 42, 'PRIVATREZEPT', FORM, 3);
  const labels = [
    ...[[44, 86, 'Name, Vorname, Anschrift'] as const, [466, 86, 'Ausgestellt am'] as const],
    ...[[466, 132, 'Arzt-Nr.'] as const, [44, 384, 'Arzt / Praxis'] as const],
    ...[[446, 384, 'Unterschrift des Arztes'] as const, [44, 188, 'Rp.'] as const],
  ];
  for (const [x, y, label] of labels) sheet.text(x, y, label, FORM, 1);
}

function fillIn(sheet: Sheet, { patient, prescriber, issuedOn, lines }: Prescription): void {
  sheet.text(44, 100, `${patient.lastName}, ${patient.firstName}`);
  sheet.text(44, 124, patient.street);
  sheet.text(44, 148, townOf(patient));
  sheet.text(300, 100, germanDate(patient.bornOn));
  sheet.text(466, 100, germanDate(issuedOn));
  sheet.text(466, 146, prescriber.doctorNumber);
  lines.slice(0, 3).forEach((line, index) => {
    const y = 204 + index * 58;
    sheet.text(44, y, `${prescribedAmount(line)}  ${line.product.name}`);
    sheet.text(68, y + 22, line.directions.slice(0, 54));
    sheet.text(68, y + 40, strengthText(line.product), INK, 1);
  });
  const address = [prescriber.name, prescriber.practice, prescriber.street, townOf(prescriber)];
  [...address, `Tel. ${prescriber.phone}`].forEach((text, index) =>
    sheet.text(44, 398 + index * 22, text.slice(0, 31)),
  );
}

/** A signature across the line: a sum of waves that gets flatter. */
function scribble(sheet: Sheet, random: Random): void {
  const [waves, height, phase] = [random.between(4, 7), random.between(18, 30), random.next() * 6];
  for (let step = 0; step < 2_400; step += 1) {
    const along = step / 2_400;
    const turn = along * waves * 2 * Math.PI + phase;
    const x = 470 + along * 200 + Math.sin(turn * 1.02) * 14;
    const y = 456 - Math.cos(turn) * height * (1 - along * 0.75) - along * 8;
    sheet.box(Math.round(x), Math.round(y), 2, 2, INK);
  }
}

/** The sheet turned by up to 1.4 degrees, with specks of dust; 2 bits per pixel. */
function askew(sheet: Sheet, random: Random): Buffer {
  const angle = ((random.next() - 0.5) * 2.8 * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let speck = 0; speck < 90; speck += 1)
    sheet.box(random.between(0, WIDTH_PX), random.between(0, HEIGHT_PX), 1, 1, SHADOW);
  const bytesPerRow = Math.ceil(WIDTH_PX / 4);
  const packed = Buffer.alloc(bytesPerRow * HEIGHT_PX);
  for (let row = 0; row < HEIGHT_PX; row += 1) {
    for (let column = 0; column < WIDTH_PX; column += 1) {
      const [dx, dy] = [column - WIDTH_PX / 2, row - HEIGHT_PX / 2];
      const x = (dx * cos - dy * sin + WIDTH_PX / 2 + 0.5) | 0;
      const y = (dx * sin + dy * cos + HEIGHT_PX / 2 + 0.5) | 0;
      const isOff = x < 4 || x >= WIDTH_PX - 4 || y < 4 || y >= HEIGHT_PX - 4;
      const colour = isOff ? SHADOW : (sheet.pixels[y * WIDTH_PX + x] ?? PAPER);
      const at = row * bytesPerRow + (column >> 2);
      packed[at] = (packed[at] ?? 0) | (colour << (6 - 2 * (column % 4)));
    }
  }
  return packed;
}
