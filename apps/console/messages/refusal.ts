import type { Texts } from '../text/de';

interface Refusal {
  code: string;
  details?: readonly { field: string }[] | undefined;
}

/** The server's sentences are English and written for programs; people read sentences in their language. */
export function refusalSentence({ code, details = [] }: Refusal, { fault }: Texts): string {
  const fields = details.map(({ field }) => field).join(', ');
  const lines = details.flatMap(({ field }) => {
    const index = /^items\[(\d+)\]/.exec(field)?.[1];
    return index === undefined ? [] : [Number(index) + 1];
  });
  if (code === 'out_of_stock' && lines.length > 0) return fault.outOfStock(lines.join(', '));
  if (code === 'invalid_request' && fields !== '') return fault.invalid(fields);
  return fault.refusals[code] ?? fault.unknown;
}
