/** Rows of a table in text, one per line, with ` | ` between cells. `\n` in a cell is the end of a line. */
export function textTable(text: string): string[][] {
  const lines = text.trim().split('\n');
  return lines.map((line) => line.trimStart().replaceAll('\\n', '\n').split(' | '));
}
