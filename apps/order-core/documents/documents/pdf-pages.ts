import { inflateSync } from 'node:zlib';

/**
 * Page count of a PDF: its `/Type /Page` objects, plain or inside object streams. Of an object that an incremental
 * update rewrote, the last version counts. Source: ISO 32000-1, 7.5.7 and 7.7.3.3.
 *
 * The input is untrusted. All work is linear in the size: keyword search only moves forward, and steps and inflated
 * bytes have a budget. Returns null (unknown) when the budget is exceeded or the file is encrypted or damaged.
 */
export function countPages(pdf: Buffer): number | null {
  try {
    return new PageCount(pdf).count();
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

/** Keywords examined; a real document of 10 MiB has some tens of thousands. */
const MAX_STEPS = 300_000;
const MAX_OBJECT_STREAMS = 1_000;
const MAX_INFLATED_BYTES = 16 * 1024 * 1024;

const TYPE = Buffer.from('/Type');
const PAGE = Buffer.from('/Page');
const OBJECT_STREAM = Buffer.from('/ObjStm');

class Unknown extends Error {}

class PageCount {
  private readonly isPageByNumber = new Map<number, boolean>();
  private readonly objects: Finder;
  private readonly ends: Finder;
  private readonly streams: Finder;
  private readonly streamEnds: Finder;
  private steps = 0;
  private objectStreams = 0;
  private inflatedBytes = 0;

  constructor(private readonly pdf: Buffer) {
    this.objects = new Finder(pdf, 'obj');
    this.ends = new Finder(pdf, 'endobj');
    this.streams = new Finder(pdf, 'stream');
    this.streamEnds = new Finder(pdf, 'endstream');
  }

  count(): number | null {
    let at = this.objects.from(0);
    while (at < this.pdf.length) {
      this.step();
      const number = objectNumberBefore(this.pdf, at);
      at = this.objects.from(number === null ? at + 3 : this.readObject(number, at + 3));
    }
    let pages = 0;
    for (const isPage of this.isPageByNumber.values()) if (isPage) pages += 1;
    return pages === 0 ? null : pages;
  }

  /** Reads the object whose body begins at `start` and returns the next position. Skips the content of streams. */
  private readObject(number: number, start: number): number {
    const end = this.ends.from(start);
    const stream = this.streams.from(start);
    if (stream > end) {
      this.isPageByNumber.set(number, this.isPage(this.pdf.subarray(start, end)));
      return end;
    }
    const streamEnd = this.streamEnds.from(stream);
    const dictionary = this.pdf.subarray(start, stream);
    if (dictionary.includes(OBJECT_STREAM)) this.readObjectStream(dictionary, stream, streamEnd);
    return streamEnd;
  }

  private readObjectStream(dictionary: Buffer, stream: number, streamEnd: number): void {
    this.objectStreams += 1;
    if (this.objectStreams > MAX_OBJECT_STREAMS) throw new Unknown();
    const text = dictionary.toString('latin1', 0, 2_048);
    const [count, first] = [numberAfter(text, '/N'), numberAfter(text, '/First')];
    const data = this.inflated(text, this.pdf.subarray(startOfData(this.pdf, stream + 6), streamEnd));
    if (first > data.length) throw new Unknown();
    const header = data.toString('latin1', 0, first).trim().split(/\s+/).map(Number);
    if (header.length < 2 * count) throw new Unknown();
    for (let index = 0; index < count; index += 1) {
      this.step();
      const [number, offset] = [header[2 * index] ?? NaN, header[2 * index + 1] ?? NaN];
      const next = index + 1 < count ? (header[2 * index + 3] ?? NaN) : data.length - first;
      // Rejects offsets that do not rise: they could make a small stream be read repeatedly.
      if (!Number.isInteger(number) || !(offset >= 0 && offset < next)) throw new Unknown();
      this.isPageByNumber.set(number, this.isPage(data.subarray(first + offset, first + next)));
    }
  }

  private inflated(dictionary: string, data: Buffer): Buffer {
    const maxOutputLength = MAX_INFLATED_BYTES - this.inflatedBytes;
    if (!dictionary.includes('/Filter')) {
      if (data.length > maxOutputLength) throw new Unknown();
      this.inflatedBytes += data.length;
      return data;
    }
    if (!dictionary.includes('/FlateDecode') || maxOutputLength < 1) throw new Unknown();
    try {
      const inflated = inflateSync(data, { maxOutputLength });
      this.inflatedBytes += inflated.length;
      return inflated;
    } catch (error) {
      // Damaged, encrypted, or over the budget.
      throw new Unknown('cannot be inflated', { cause: error });
    }
  }

  private isPage(object: Buffer): boolean {
    for (let at = object.indexOf(TYPE); at >= 0; at = object.indexOf(TYPE, at + TYPE.length)) {
      this.step();
      let name = at + TYPE.length;
      while (name - at < 32 && isWhitespace(object[name])) name += 1;
      const end = name + PAGE.length;
      if (object.subarray(name, end).equals(PAGE) && !isRegular(object[end])) return true;
    }
    return false;
  }

  private step(): void {
    this.steps += 1;
    if (this.steps > MAX_STEPS) throw new Unknown();
  }
}

/** Next position of a keyword for rising start positions; searches each byte once. */
class Finder {
  private readonly keyword: Buffer;
  private found = -1;

  constructor(
    private readonly bytes: Buffer,
    keyword: string,
  ) {
    this.keyword = Buffer.from(keyword);
  }

  /** Returns the length of the file when the keyword is missing. */
  from(position: number): number {
    if (this.found < position) {
      const found = this.bytes.indexOf(this.keyword, position);
      this.found = found < 0 ? this.bytes.length : found;
    }
    return this.found;
  }
}

const HEADER = /(?:^|\D)(\d{1,9})\s+\d{1,5}\s+$/;

/** `12` for `12 0 obj` with the keyword at `at`; null when the match is part of another word, as in `endobj`. */
function objectNumberBefore(pdf: Buffer, at: number): number | null {
  if (!isWhitespace(pdf[at - 1])) return null;
  const number = HEADER.exec(pdf.toString('latin1', Math.max(0, at - 24), at))?.[1];
  return number === undefined ? null : Number(number);
}

function numberAfter(dictionary: string, key: string): number {
  const match = new RegExp(`${key}\\s+(\\d{1,8})`).exec(dictionary);
  if (!match) throw new Unknown();
  return Number(match[1]);
}

/** CR LF or LF follows the keyword `stream`. */
function startOfData(pdf: Buffer, at: number): number {
  if (pdf[at] === 0x0d && pdf[at + 1] === 0x0a) return at + 2;
  return pdf[at] === 0x0a ? at + 1 : at;
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c || byte === 0;
}

/** A character that could continue a name: `/Pages` is not `/Page`. */
function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && !isWhitespace(byte) && !'()<>[]{}/%'.includes(String.fromCharCode(byte));
}
