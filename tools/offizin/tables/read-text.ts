import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { hasErrorCode } from '@offizin/local-stack/error-code';

/** Encodings of files that spreadsheets and ERP systems write. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A catalog of a million products is smaller; the whole file is held in memory. */
const MAX_BYTES = 256 * 1024 * 1024;
/**
 * Windows-1252 from 0x80 on, where it is not Latin-1; a blank where it has no character. Node.js 20 reads it as Latin-1
 * (TextDecoder), which makes an invisible control character of each € and “.
 */
const FROM_0X80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const HIGH_CONTROLS = /[\x80-\x9f]/g;
const SAMPLE_BYTES = 1_000;

/** Text of a file, in the encoding that is given or found. Throws one sentence for a person. */
export async function readText(
  file: string,
  given?: Encoding,
): Promise<{ text: string; encoding: Encoding }> {
  const bytes = await readBytes(file);
  const encoding = given ?? encodingOf(bytes);
  const text = decoded(bytes, encoding);
  if (text === null || text.includes('\0')) {
    const others = ENCODINGS.filter((other) => other !== encoding).join(', ');
    throw new Error(`${file} is not ${encoding}: name its encoding by --encoding (${others}).`);
  }
  return { text, encoding };
}

async function readBytes(file: string): Promise<Buffer> {
  const found = await stat(file).catch((error: unknown) => {
    throw new Error(
      `The file ${file} ${hasErrorCode(error, 'ENOENT') ? 'does not exist' : 'cannot be read'}.`,
    );
  });
  if (!found.isFile()) throw new Error(`${file} is not a file.`);
  if (found.size > MAX_BYTES) throw new Error(`${file} is larger than 256 MiB: import it in parts.`);
  return readFile(file);
}

/** By the byte order mark, by the zero bytes of UTF-16, else UTF-8 if it is that, else Windows-1252. */
function encodingOf(bytes: Buffer): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (const [place, byte] of bytes.subarray(0, SAMPLE_BYTES).entries())
    if (byte === 0) zeros[place % 2] = (zeros[place % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even + odd > Math.min(bytes.length, SAMPLE_BYTES) / 4) return odd > even ? 'utf-16le' : 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}

/** Without a byte order mark; null if it is not of that encoding. */
function decoded(bytes: Buffer, encoding: Encoding): string | null {
  if (encoding === 'windows-1252') {
    const text = bytes
      .toString('latin1')
      .replace(HIGH_CONTROLS, (byte) => FROM_0X80[byte.charCodeAt(0) - 0x80] ?? ' ');
    return bytes.some((byte) => FROM_0X80[byte - 0x80] === ' ') ? null : text;
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
