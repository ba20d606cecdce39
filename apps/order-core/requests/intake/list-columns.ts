/**
 * What the review list shows of a payload. Payloads are encrypted, so these values are stored with each
 * version of a request.
 */

/** Source: ReviewRow.lines_text. */
const MAX_LINES_TEXT = 500;

interface NamedLine {
  quantity: number;
  name: string | null;
  p1_id: string | null;
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

/** SQL: the same of an order. */
export function linesText(order: string): string {
  return `left(coalesce((SELECT string_agg((line ->> 'quantity') || ' × ' || coalesce(line ->> 'name', line ->> 'p1_id', '?'), ', ')
       FROM jsonb_array_elements(${order}.items) line), ''), ${MAX_LINES_TEXT})`;
}

/** Row id for encrypting the text of the lines: its ciphertext cannot be decrypted as another column. */
export function linesRowId(requestId: string): string {
  return `${requestId}:lines`;
}
