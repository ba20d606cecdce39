/** The number of a lot. */

export const MAX_LOT_LENGTH = 20;
/** With blanks around it. */
const MAX_TYPED_LENGTH = 255;

/** Single blanks between characters that are printed; a letter or a digit is among them, so that no path ends in `..`. */
const LOT = /^(?=.*[\p{L}\p{N}])[\p{L}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{N}\p{P}\p{S}]+)*$/u;

/** As it is stored and searched: in capitals, without blanks around it. Null for any other text. */
export function lotOf(text: string): string | null {
  if (text.length > MAX_TYPED_LENGTH) return null;
  const lot = text.normalize('NFC').trim().toUpperCase();
  return [...lot].length <= MAX_LOT_LENGTH && LOT.test(lot) ? lot : null;
}
