import { deflateSync } from 'node:zlib';
import { pdfFile } from './pdf';

/** Writes prescriptions, right and false ones: text where it is wanted, forms, stamps, strokes, fields, pictures. */

export interface Paper {
  /** Drawing operators. */
  drawn: string[];
  /** Annotations and fields, as bodies of objects; those with a separate drawing name it as AP. */
  notes?: (string | Note)[];
  /** Of the page, in degrees. */
  rotate?: number;
}

interface Note {
  entries: string;
  appearance: string;
  box: Rect;
}

type Rect = readonly [left: number, bottom: number, right: number, top: number];

const WIDTH = 595;
const HEIGHT = 842;

export interface Ink {
  size?: number;
  /** Degrees against the clock. */
  turn?: number;
  font?: keyof typeof FONTS;
  /** Drawn as nothing (3), or in white. */
  mode?: number;
  isWhite?: boolean;
}

/** Helvetica, Courier, and Helvetica whose text has other letters than are drawn. */
const FONTS = { plain: 'F1', typed: 'F2', lying: 'F3' } as const;

/** Points from the top left corner. */
export function words(x: number, y: number, text: string, ink: Ink = {}): string {
  const { size = 11, turn = 0, font = 'plain', mode = 0, isWhite = false } = ink;
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const matrix = [cos, sin, -sin, cos, x, HEIGHT - y].map((each) => each.toFixed(4)).join(' ');
  const grey = isWhite ? 1 : 0;
  return `${grey} g BT /${FONTS[font]} ${size} Tf ${mode} Tr ${matrix} Tm (${escaped(text)}) Tj ET 0 g`;
}

export function listed(x: number, y: number, texts: readonly string[], ink: Ink = {}): string[] {
  return texts.map((text, at) => words(x, y + at * 1.45 * (ink.size ?? 11), text, ink));
}

type Point = readonly [x: number, y: number];

export function stroke([x1, y1]: Point, [x2, y2]: Point, width = 1.5): string {
  return `${width} w ${x1} ${HEIGHT - y1} m ${x2} ${HEIGHT - y2} l S`;
}

/** Beside a line, as a pharmacist does who takes it back; in white, it cannot be seen. */
export function crossed(x: number, y: number, { isWhite = false } = {}): string {
  const [right, bottom] = [x + 14, y + 14];
  return [
    `${isWhite ? 1 : 0} G`,
    stroke([x, y], [right, bottom], 2.5),
    stroke([right, y], [x, bottom], 2.5),
    '0 G',
  ].join(' ');
}

export function filled([x, y]: Point, [width, height]: Point, grey: number): string {
  return `${grey} g ${x} ${HEIGHT - y - height} ${width} ${height} re f 0 g`;
}

/** A grey picture as large as the page, as a scanner makes it. */
export const SCAN = picture(0, 0, WIDTH, HEIGHT);

export function picture(x: number, y: number, width: number, height: number): string {
  return `q ${width} 0 0 ${height} ${x} ${HEIGHT - y - height} cm /Im1 Do Q`;
}

function rectOf(x: number, y: number, width: number, height: number): Rect {
  return [x, HEIGHT - y - height, x + width, HEIGHT - y];
}

/** An annotation that draws its text, and states it too unless it is silent. */
export function stamp(
  text: string,
  x: number,
  y: number,
  { isSilent = false, subtype = 'Stamp' } = {},
): Note {
  const said = isSilent ? '' : `/Contents (${escaped(text)})`;
  return {
    entries: `/Subtype /${subtype} /F 4 ${said}`,
    appearance: `1 0 0 rg BT /F1 20 Tf 4 8 Td (${escaped(text)}) Tj ET`,
    box: rectOf(x, y, 14 * text.length, 30),
  };
}

/** Strikes out, as an annotation. */
export function struck(x: number, y: number, width: number, { subtype = 'Ink', height = 10 } = {}): Note {
  return {
    entries: `/Subtype /${subtype} /F 4`,
    appearance: `2 w 0 ${height / 2} m ${width} ${height / 2} l S`,
    box: rectOf(x, y, width, height),
  };
}

/** Struck out by a reader's tool that leaves the drawing to the next reader. */
export function struckOut(x: number, y: number, width: number): string {
  const [left, bottom, right, top] = rectOf(x, y, width, 14);
  const corners = [left, top, right, top, left, bottom, right, bottom].join(' ');
  const rect = `/Rect [${[left, bottom, right, top].join(' ')}]`;
  return `<< /Type /Annot /Subtype /StrikeOut /F 4 /C [1 0 0] ${rect} /QuadPoints [${corners}] >>`;
}

/** A field of a form with its value, and with what is drawn in it. */
export function field(
  value: string,
  x: number,
  y: number,
  { width = 200, drawn = value, isHidden = false } = {},
): Note {
  const flags = isHidden ? 2 : 4;
  return {
    entries: `/Subtype /Widget /FT /Tx /F ${flags} /T (f${x}${y}) /V (${escaped(value)}) /DA (/F1 11 Tf 0 g)`,
    appearance: `BT /F1 11 Tf 2 4 Td (${escaped(drawn)}) Tj ET`,
    box: rectOf(x, y, width, 15),
  };
}

/** WinAnsi; other letters have codes of the font that lies. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\0-\xff]/g, (letter) => OTHER_LETTERS[letter] ?? '?')
    .replaceAll(/[()\\]/g, (sign) => `\\${sign}`);
}

/** Zero-width space, Hebrew letters and a ligature, and a digit that is drawn as another. */
const OTHER_LETTERS: Readonly<Record<string, string>> = {
  '\u200b': '\x81',
  '\u05d0': '\x82',
  '\u05d1': '\x83',
  '\ufb01': '\x84',
};
const SAID: Readonly<Record<string, string>> = {
  '81': '200B',
  '82': '05D0',
  '83': '05D1',
  '84': 'FB01',
  '38': '0035',
};

function lyingMap(): string {
  const pairs = Object.entries(SAID).map(([code, said]) => `<${code}> <${said}>`);
  const own = Array.from({ length: 95 }, (_, at) => (at + 32).toString(16)).filter((code) => !(code in SAID));
  const all = [...pairs, ...own.map((code) => `<${code}> <00${code}>`)];
  const blocks = [all.slice(0, 90), all.slice(90)];
  const maps = blocks.map((block) => `${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`);
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <00> <ff> endcodespacerange\n${maps.join('\n')}\nendcmap end end`;
}

function stream(entries: string, content: string): Buffer {
  const bytes = deflateSync(Buffer.from(content, 'latin1'));
  const head = `<< ${entries} /Filter /FlateDecode /Length ${bytes.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream')]);
}

export function paperPdf(...papers: Paper[]): Buffer {
  const bodies: (string | Buffer)[] = ['', ''];
  const add = (body: string | Buffer): number => bodies.push(body);
  const fontOf = (name: string, more = ''): number =>
    add(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding ${more} >>`);
  const lying = add(stream('', lyingMap()));
  const fonts = [fontOf('Helvetica'), fontOf('Courier'), fontOf('Helvetica', `/ToUnicode ${lying} 0 R`)];
  const font = `/Font << ${fonts.map((number, at) => `/F${at + 1} ${number} 0 R`).join(' ')} >>`;
  const picture =
    '/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8';
  const image = add(stream(picture, '\xee\xdd\xee\xdd'));
  const fields: number[] = [];
  const kids = papers.map(({ drawn, notes = [], rotate = 0 }) => {
    const content = add(stream('', drawn.join('\n')));
    const annotations = notes.map((note) => {
      if (typeof note === 'string') return add(note);
      const [left, bottom, right, top] = note.box;
      const box = `/BBox [0 0 ${right - left} ${top - bottom}]`;
      const drawing = add(
        stream(`/Type /XObject /Subtype /Form ${box} /Resources << ${font} >>`, note.appearance),
      );
      const rect = `/Rect [${note.box.join(' ')}]`;
      const number = add(`<< /Type /Annot ${note.entries} ${rect} /AP << /N ${drawing} 0 R >> >>`);
      if (note.entries.includes('/Widget')) fields.push(number);
      return number;
    });
    const resources = `/Resources << ${font} /XObject << /Im1 ${image} 0 R >> >>`;
    const noted = `/Annots [${annotations.map((number) => `${number} 0 R`).join(' ')}]`;
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Rotate ${rotate} ${resources} ${noted} /Contents ${content} 0 R >>`,
    );
  });
  const form = `/AcroForm << /Fields [${fields.map((number) => `${number} 0 R`).join(' ')}] /DR << ${font} >> >>`;
  bodies[0] = `<< /Type /Catalog /Pages 2 0 R ${form} >>`;
  bodies[1] = `<< /Type /Pages /Kids [${kids.map((number) => `${number} 0 R`).join(' ')}] /Count ${kids.length} >>`;
  return pdfFile(bodies);
}

const BERLIN = new Intl.DateTimeFormat('de-DE', {
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
  timeZone: 'Europe/Berlin',
});

/** A day as forms write it, counted back from today: papers stay as old as they are meant to be. */
export function daysAgo(days: number): string {
  return BERLIN.format(Date.now() - days * 86_400_000);
}

/** Of a paper that gives no other day. */
export const ISSUED = daysAgo(5);

export interface FormText {
  patient?: string;
  /** Of the patient's name. */
  font?: Ink['font'];
  born?: string;
  issued?: string;
  /** Below the label of the medicines. */
  lines: readonly string[];
  prescriber?: readonly string[];
  title?: string;
  /** Of the upper edge. */
  y?: number;
}

export const PRESCRIBER = ['Dr. med. Sabine Weber', 'Fachärztin für Allgemeinmedizin', 'Tel. 030 7076173'];

/** A form leaves room for its medicines. */
const LEAST_LINES = 6;

/** A private prescription with its labels. */
export function privateForm(form: FormText): string[] {
  const { patient = 'Berger, Anna', born = '14.03.1984', issued = ISSUED, lines, y = 60 } = form;
  const foot = y + 140 + Math.max(lines.length, LEAST_LINES) * 16;
  return [
    words(60, y, form.title ?? 'Privatrezept', { size: 16 }),
    words(60, y + 24, 'Name, Vorname des Patienten', { size: 7 }),
    words(300, y + 24, 'geb. am', { size: 7 }),
    words(440, y + 24, 'Ausgestellt am', { size: 7 }),
    words(60, y + 38, patient, { font: form.font }),
    words(300, y + 38, born),
    words(440, y + 38, issued),
    ...listed(60, y + 54, ['Torstraße 60', '10115 Berlin']),
    words(60, y + 100, 'Rp.'),
    ...listed(60, y + 118, lines),
    ...listed(60, foot, form.prescriber ?? PRESCRIBER),
    words(380, foot, 'Unterschrift', { size: 7 }),
    words(380, foot + 16, 'gez. Weber'),
  ];
}

/** The pink form of the statutory insurance, typed. */
export function statutoryForm({
  patient = 'Berger\nAnna',
  born = '14.03.84',
  issued = ISSUED,
  lines,
}: FormText): string[] {
  const [family = '', given = ''] = patient.split('\n');
  return [
    words(60, 50, 'Krankenkasse bzw. Kostenträger', { size: 7 }),
    words(60, 64, 'Beispiel BKK'),
    words(60, 80, 'Name, Vorname des Versicherten', { size: 7 }),
    words(300, 80, 'geb. am', { size: 7 }),
    words(60, 94, family, { font: 'typed' }),
    words(60, 108, given, { font: 'typed' }),
    words(240, 108, born, { font: 'typed' }),
    ...listed(60, 122, ['Torstraße 60', 'D 10115 Berlin'], { font: 'typed' }),
    words(60, 165, 'Betriebsstätten-Nr.', { size: 7 }),
    words(200, 165, 'Arzt-Nr.', { size: 7 }),
    words(320, 165, 'Datum', { size: 7 }),
    words(60, 179, '721111100'),
    words(200, 179, '123456601'),
    words(320, 179, `${issued.slice(0, 6)}${issued.slice(-2)}`),
    words(60, 205, 'Rp. (Bitte Leerräume durchstreichen)', { size: 7 }),
    ...listed(60, 219, lines, { font: 'typed' }),
    ...listed(60, 300, ['Abgabedatum in der Apotheke', 'Unterschrift des Arztes'], { size: 7 }),
    words(420, 320, 'Muster 16 (10.2014)', { size: 7 }),
  ];
}
