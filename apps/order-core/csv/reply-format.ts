import { Refused } from '@offizin/contracts/errors';
import { acceptedType } from '@offizin/runtime/accepted-type';
import type { CsvDialect } from './csv';

/** The media types of a report; JSON wins when the caller weighs both equally. */
const FORMATS = { 'application/json': 'json', 'text/csv': 'csv' } as const;
const TYPES = ['application/json', 'text/csv'] as const;
export type ReplyFormat = (typeof FORMATS)[(typeof TYPES)[number]];

/** Throws `Refused` (not_acceptable). */
export function replyFormat(accept: string | undefined): ReplyFormat {
  const type = acceptedType(accept, TYPES);
  if (type !== null) return FORMATS[type];
  throw new Refused('not_acceptable', 'A report is application/json or text/csv: accept one of them.');
}

/** Reads `dialect` of the accepted `text/csv`. Throws `Refused` (not_acceptable) for an unknown dialect. */
export function csvDialect(accept = ''): CsvDialect {
  const ranges = accept.toLowerCase().split(',');
  const parameters = ranges.map((range) => range.split(';').map((part) => part.trim()));
  const csv = parameters.find(([type]) => type === 'text/csv') ?? [];
  const dialect = csv
    .find((part) => part.startsWith('dialect='))
    ?.slice('dialect='.length)
    .replaceAll('"', '');
  if (dialect === undefined) return 'default';
  if (dialect === 'excel-de') return dialect;
  throw new Refused('not_acceptable', 'The dialect of text/csv is excel-de, or left out.');
}

/** `en-CA` writes YYYY-MM-DD. */
const BERLIN = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' });

/** The name of a list's file carries the day in Berlin, as the console's own files do. */
export function csvName(list: string, atMs: number): string {
  return `${list}_${BERLIN.format(atMs)}.csv`;
}

export function csvHeaders(dialect: CsvDialect, fileName: string): Record<string, string> {
  const mediaType = 'text/csv; charset=utf-8; header=present';
  return {
    'content-type': dialect === 'default' ? mediaType : `${mediaType}; dialect=${dialect}`,
    'content-disposition': `attachment; filename="${fileName}"`,
    vary: 'Accept',
  };
}
