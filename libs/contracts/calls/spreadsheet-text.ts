/**
 * Texts in CSV files. A spreadsheet runs a text as a formula when it begins with `= + - @`, also in their full width and
 * behind blanks, invisible characters and quotes. One of another locale splits the text at its own separator, and a line feed
 * begins a row there. So an apostrophe goes to the begin, to each separator but the file's own, and to each line break,
 * wherever such a sign follows. An apostrophe that is there already gets another one, so that `unguarded` gives each text
 * back.
 */
const SIGN_FOLLOWS = `(?=['"\\p{Z}\\p{C}]*[=+\\-@＝＋－＠])`;

const guard = (breaks: string) => ({
  // Not within CRLF.
  places: new RegExp(`(?<=^|[${breaks}])(?!(?<=\\r)\\n)${SIGN_FOLLOWS}`, 'gu'),
  apostrophes: new RegExp(`(?<=^|[${breaks}])'${SIGN_FOLLOWS}`, 'gu'),
});

const GUARDS = { ',': guard(';\\t\\r\\n'), ';': guard(',\\t\\r\\n'), '\t': guard(',;\\r\\n') };
export type Separator = keyof typeof GUARDS;

export function guarded(text: string, separator: Separator): string {
  return text.replace(GUARDS[separator].places, "'");
}

/** The text that `guarded` was given. */
export function unguarded(cell: string, separator: Separator): string {
  return cell.replace(GUARDS[separator].apostrophes, '');
}
