import { deflateSync } from 'node:zlib';
import { Drawing } from './drawing';
import type { PdfPage } from './pdf-writer';
import { germanDate, prescribedAmount, type Prescription, strengthText, townOf } from './prescription-forms';
import type { Random } from './random';

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

  box([x, y, width, height]: readonly [number, number, number, number], colour: number): void {
    for (let row = y; row < y + height; row += 1) {
      for (let column = x; column < x + width; column += 1) {
        if (row >= 0 && row < HEIGHT_PX && column >= 0 && column < WIDTH_PX)
          this.pixels[row * WIDTH_PX + column] = colour;
      }
    }
  }

  text(x: number, y: number, text: string, { colour = INK, scale = 2 } = {}): void {
    [...text].forEach((letter, index) => {
      dotsOf(letter).forEach((dots, column) => {
        for (let row = 0; row < 8; row += 1) {
          if ((dots >> row) & 1)
            this.box(
              [x + index * LETTER_PX * (scale / 2) + column * scale, y + row * scale, scale, scale],
              colour,
            );
        }
      });
    });
  }
}

function drawForm(sheet: Sheet): void {
  const [left, right] = [26, 734];
  for (const y of [26, 78, 176, 376, 512]) sheet.box([left, y, right - left, 2], FORM);
  for (const x of [left, right - 2]) sheet.box([x, 26, 2, 488], FORM);
  sheet.box([450, 78, 2, 98], FORM);
  sheet.box([430, 376, 2, 136], FORM);
  sheet.text(44, 42, 'PRIVATREZEPT', { colour: FORM, scale: 3 });
  const labels = [
    [44, 86, 'Name, Vorname, Anschrift'] as const,
    [466, 86, 'Ausgestellt am'] as const,
    [466, 132, 'Arzt-Nr.'] as const,
    [44, 384, 'Arzt / Praxis'] as const,
    [446, 384, 'Unterschrift des Arztes'] as const,
    [44, 188, 'Rp.'] as const,
  ];
  for (const [x, y, label] of labels) sheet.text(x, y, label, { colour: FORM, scale: 1 });
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
    sheet.text(68, y + 40, strengthText(line.product), { scale: 1 });
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
    sheet.box([Math.round(x), Math.round(y), 2, 2], INK);
  }
}

/** The sheet turned by up to 1.4 degrees, with specks of dust; 2 bits per pixel. */
function askew(sheet: Sheet, random: Random): Buffer {
  const angle = ((random.next() - 0.5) * 2.8 * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let speck = 0; speck < 90; speck += 1)
    sheet.box([random.between(0, WIDTH_PX), random.between(0, HEIGHT_PX), 1, 1], SHADOW);
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

/** Letters of a needle printer, 5 columns of 7 dots (lowest bit on top), as it filled in the scanned form. */
const FIRST = 0x20;
const COLUMNS =
  '000000000000005f00000007000700147f147f14242a7f2a12231308646236495620500008070300001c2241000041221c002a1c7f1c2a' +
  '08083e080800807030000808080808000060600020100804023e5149453e00427f400072494949462141494d331814127f102745454539' +
  '3c4a49493141211109073649494936464949291e0000140000004034000000081422411414141414004122140802015909063e415d594e' +
  '7c1211127c7f494949363e414141227f4141413e7f494949417f090909013e414151737f0808087f00417f41002040413f017f08142241' +
  '7f404040407f021c027f7f0408107f3e4141413e7f090909063e4151215e7f09192946264949493203017f01033f4040403f1f2040201f' +
  '3f4038403f631408146303047804036159494d43007f4141410204081020004141417f0402010204404040404000030708002054547840' +
  '7f284444383844444428384444287f385454541800087e090218a4a49c787f0804047800447d40002040403d007f1028440000417f4000' +
  '7c047804787c080404783844444438fc1824241818242418fc7c08040408485454542404043f44243c4040207c1c2040201c3c4030403c' +
  '44281028444c9090907c4464544c44';
const GLYPHS = Buffer.from(COLUMNS, 'hex');
const UMLAUTS: Record<string, string> = { ä: 'a', ö: 'o', ü: 'u', Ä: 'A', Ö: 'O', Ü: 'U' };
const SHARP_S = [0x7e, 0x01, 0x49, 0x36, 0x00];
const PLAIN: Record<string, string> = { é: 'e', ë: 'e', '–': '-' };

/** Five columns; each has a bit per dot, the lowest one on top. */
function dotsOf(letter: string): readonly number[] {
  if (letter === 'ß') return SHARP_S;
  const base = UMLAUTS[letter];
  // Two dots above the letter, which is one dot lower.
  if (base)
    return dotsOf(base).map((column, index) => ((column << 1) & 0xff) | (index === 1 || index === 3 ? 1 : 0));
  const code = (PLAIN[letter] ?? letter).charCodeAt(0) - FIRST;
  return [...GLYPHS.subarray(code * 5, code * 5 + 5)];
}
