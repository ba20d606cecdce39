/** Characters of a line beside a bar. */
const LINE = 18;

/** A name that fits two lines beside its bar; the table behind the plot has it whole. */
export function shortName(name: string): string {
  const words = name.split(/\s+/).map((word) => cut(word, LINE));
  return cut(words.join(' '), 2 * LINE);
}

function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
