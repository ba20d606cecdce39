import { wordsOf } from '@offizin/pg/search-words';
import { keyedHash } from '../../crypto/encryption';

/**
 * Lines of a request are searched by keyed hashes of the beginnings of their words, so that no plain column links a person
 * to a medicine.
 */

/** Letters of the beginnings; a shorter word is hashed whole. Few, because each hash is a word of the index. */
const BEGINNINGS = [3, 5, 8, 12];
const MAX_HASHES = 300;
/** 48 bits: few enough for an index, and hardly ever equal by chance. */
const HASH_BYTES = 6;

/** The beginnings of a word that are hashed, the longest last. */
function beginningsOf(word: string): string[] {
  const letters = Array.from(word);
  const lengths = BEGINNINGS.filter((length) => length <= letters.length);
  return (lengths.length === 0 ? [letters.length] : lengths).map((length) =>
    letters.slice(0, length).join(''),
  );
}

function hashOf(key: Buffer, beginning: string): string {
  return String(keyedHash(key, 'line word', beginning).readUIntBE(0, HASH_BYTES));
}

/** The hash of a word that a person types; letters beyond its longest beginning do not count. */
export function lineWord(key: Buffer, word: string): string {
  return hashOf(key, beginningsOf(word).at(-1) ?? '');
}

/** The column line_words. */
export function lineWords(key: Buffer, names: readonly string[]): string {
  const distinct = [...new Set(names.flatMap(wordsOf).flatMap(beginningsOf))].slice(0, MAX_HASHES);
  return distinct.map((beginning) => hashOf(key, beginning)).join(' ');
}
