import type { Remark } from '@offizin/contracts/requests/remark';

/** In English and German. A field with another name stays among the further fields of the review. */
const REMARK =
  /allerg|unvertr|intoler|comment|komment|remark|bemerk|anmerk|hinweis|notiz|notes?(?![a-z])|message|nachricht|medication|medikation|pregnan|schwanger/i;

/** Fields outside the contract that a person must read before deciding, of payload, lines and metadata. */
export function remarksIn(payload: Record<string, unknown>, metadata: object): Remark[] {
  const lines: unknown[] = Array.isArray(payload['items']) ? payload['items'] : [];
  return [
    ...remarksOf(payload, null),
    ...lines.flatMap((line, index) => remarksOf(line, index + 1)),
    ...remarksOf(metadata, null),
  ];
}

function remarksOf(of: unknown, line: number | null): Remark[] {
  if (typeof of !== 'object' || of === null) return [];
  return Object.entries(of).flatMap(([field, value]) => {
    const text = REMARK.test(field) ? textOf(value) : '';
    return text === '' ? [] : [{ field, line, text }];
  });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  return JSON.stringify(value);
}
