import type { Random } from './random';
import { pdfText } from './pdf-writer';

export type Font = 'plain' | 'bold' | 'typewriter' | 'oblique';
const FONT_NAMES: Record<Font, string> = { plain: 'F1', bold: 'F2', typewriter: 'F3', oblique: 'F4' };

/** Red, green and blue from 0 to 1. */
export type Colour = `${number} ${number} ${number}`;
export const INK: Colour = '0.1 0.1 0.16';
export const GREY: Colour = '0.42 0.45 0.5';
export const PEN: Colour = '0.1 0.13 0.5';

interface Letters {
  sizePt: number;
  font?: Font;
  colour?: Colour;
}
type Point = readonly [x: number, y: number];
type Box = readonly [x: number, y: number, width: number, height: number];

/** Collects drawing operators of one page. Points, from the top left corner. */
export class Drawing {
  private readonly lines: string[] = [];

  constructor(private readonly heightPt: number) {}

  get operators(): string {
    return this.lines.join('\n');
  }

  text(x: number, y: number, text: string, { sizePt, font = 'plain', colour = INK }: Letters): this {
    const at = `1 0 0 1 ${short(x)} ${short(this.heightPt - y)} Tm`;
    return this.add(
      `BT ${colour} rg /${FONT_NAMES[font]} ${short(sizePt)} Tf ${at} (${pdfText(text)}) Tj ET`,
    );
  }

  filled(box: Box, colour: Colour): this {
    return this.add(`${colour} rg ${this.box(box)} f`);
  }

  outlined(box: Box, colour: Colour, widthPt = 0.6): this {
    return this.add(`${colour} RG ${widthPt} w ${this.box(box)} S`);
  }

  line([x1, y1]: Point, [x2, y2]: Point, colour: Colour, widthPt = 0.5): this {
    const [from, to] = [this.point(x1, y1), this.point(x2, y2)];
    return this.add(`${colour} RG ${widthPt} w ${from} m ${to} l S`);
  }

  /** A signature as if by hand. */
  signature(x: number, y: number, widthPt: number, random: Random): this {
    const strokes = random.between(5, 8);
    const step = widthPt / strokes;
    let curve = `${this.point(x, y)} m`;
    for (let index = 0; index < strokes; index += 1) {
      const left = x + index * step;
      // Large strokes first, then a flatter line: as people sign.
      const rise = (index === 0 ? 17 : 11 - index) * (0.6 + random.next() * 0.7);
      const fall = random.between(-2, 5);
      const points = [
        this.point(left + step * (0.1 + random.next() * 0.3), y - rise),
        this.point(left + step * (0.5 + random.next() * 0.6), y - rise * 0.7),
        this.point(left + step, y + fall),
      ];
      curve += ` ${points.join(' ')} c`;
    }
    return this.add(`q 1 J 1 j ${PEN} RG 1.1 w ${curve} S Q`);
  }

  /** A square of modules that looks like a Data Matrix code; it encodes nothing. */
  matrixCode(
    x: number,
    y: number,
    { sizePt, modules }: { sizePt: number; modules: number },
    random: Random,
  ): this {
    const module = sizePt / modules;
    let squares = '';
    for (let row = 0; row < modules; row += 1) {
      const isDark = Array.from({ length: modules }, (_, column) => {
        if (column === 0 || row === modules - 1) return true;
        if (row === 0) return column % 2 === 0;
        return column === modules - 1 ? row % 2 === 1 : random.chance(0.48);
      });
      for (let column = 0, run = 0; column < modules; column += run + 1) {
        for (run = 0; isDark[column + run]; run += 1);
        if (run > 0)
          squares += `${this.box([x + column * module, y + row * module, run * module, module * 1.03])} `;
      }
    }
    return this.add(`0 0 0 rg ${squares}f`);
  }

  picture(x: number, y: number, width: number, height: number): this {
    return this.add(
      `q ${short(width)} 0 0 ${short(height)} ${short(x)} ${short(this.heightPt - y - height)} cm /Scan Do Q`,
    );
  }

  private box([x, y, width, height]: Box): string {
    return `${short(x)} ${short(this.heightPt - y - height)} ${short(width)} ${short(height)} re`;
  }

  private point(x: number, y: number): string {
    return `${short(x)} ${short(this.heightPt - y)}`;
  }

  private add(operator: string): this {
    this.lines.push(operator);
    return this;
  }
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}
