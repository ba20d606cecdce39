/** A table as prettier would write it: every column as wide as its widest cell. The first row is the head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((text) => text.replaceAll('|', '\\|')));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(3, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [head = [], ...body] = cells;
  return [line(head), rule, ...body.map(line)].join('\n');
}
