/** Marks of direction would turn the text around a name, too, or its own amounts; the others have no width.
    Two of them join letters. */
const UNSEEN = /[^\P{Cf}\u200c\u200d]/gu;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const [ISOLATE, END] = ['\u2068', '\u2069'];

/**
 * The name as it can be read, also in the middle of a sentence: one that is written from right to left is isolated. Null
 * for none, and for one of characters that show nothing.
 */
export function readableName(name: string | null): string | null {
  const hasInk = name !== null && /[^\p{C}\p{Z}\p{M}\u115f\u1160\u3164\uffa0]/u.test(name);
  if (!hasInk) return null;
  const plain = name.replaceAll(UNSEEN, '');
  return RIGHT_TO_LEFT.test(plain) ? `${ISOLATE}${plain}${END}` : plain;
}

/** The first that can be read, such as the name of a product before its number; '' for none. */
export function readableOf(...names: readonly (string | null | undefined)[]): string {
  return names.map((name) => readableName(name ?? null)).find((name) => name !== null) ?? '';
}

/** Of the first and the last word. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const first = [...(words[0] ?? '')][0] ?? '';
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : '';
  return (first + last).toUpperCase();
}
