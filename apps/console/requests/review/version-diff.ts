export interface FieldChange {
  field: string;
  from: string;
  to: string;
}

/** What differs between two payloads of a request; lists and objects are compared whole. */
export function compareVersions(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.flatMap((field) => {
    const [from, to] = [shown(before[field]), shown(after[field])];
    return from === to ? [] : [{ field, from, to }];
  });
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(lineText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lineText(line: unknown): string {
  if (typeof line !== 'object' || line === null) return shown(line);
  const { quantity, name, p1_id, price } = line as Record<string, unknown>;
  return `${shown(quantity)} × ${shown(name ?? p1_id)} (${shown(price)} €)`;
}
