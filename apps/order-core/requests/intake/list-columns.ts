/**
 * What the review list shows and searches of a payload. Payloads are encrypted, so these values are stored with each
 * version of a request.
 */

/** Source: ReviewRow.lines_text. */
const MAX_LINES_TEXT = 500;

interface NamedLine {
  quantity: number;
  name: string | null;
  p1_id: string | null;
}

/** Letters that have no decomposition in Unicode. */
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
};
const UNDECOMPOSED_LETTERS = new RegExp(`[${Object.keys(UNDECOMPOSED).join('')}]`, 'g');

/** Equal for texts that differ only in case, accents, Unicode form, white space, or ü and ue. */
export function searchFolded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(UNDECOMPOSED_LETTERS, (letter) => UNDECOMPOSED[letter] ?? letter)
    .replaceAll(/([aou])e+/g, '$1')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** One line each, so that no search matches the end of one and the beginning of the other. */
export function searchTextOf(customerName: string | null, externalReference: string | null): string {
  return `${searchFolded(customerName ?? '')}\n${searchFolded(externalReference ?? '')}`;
}

/** `15 × Bediol, 1 × Vaporizer`; empty without lines. */
export function linesTextOf(lines: readonly NamedLine[]): string {
  const texts = lines.map(({ quantity, name, p1_id }) => `${quantity} × ${name?.trim() || (p1_id ?? '')}`);
  const text = texts
    .join(', ')
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ');
  const characters = Array.from(text);
  if (characters.length <= MAX_LINES_TEXT) return text;
  return `${characters.slice(0, MAX_LINES_TEXT - 1).join('')}…`;
}

/** Row id for encrypting the text of the lines: its ciphertext cannot be decrypted as another column. */
export function linesRowId(requestId: string): string {
  return `${requestId}:lines`;
}
