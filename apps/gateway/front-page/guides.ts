import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of docs for integrators. */
export interface Guide {
  /** Name of its file, such as `getting-started.md`. */
  file: string;
  title: string;
  /** Its first sentence, which says what it is for. */
  about: string;
  text: string;
}

/** In the order in which a newcomer reads them. The build copies them beside this app (project.json). */
const FILES = [
  'getting-started.md',
  'telemedicine-partner.md',
  'erp-sync.md',
  'verifying-webhooks.md',
  'webhooks.md',
  'events.md',
  'errors.md',
  'idempotency.md',
  'pagination.md',
  'limits.md',
  'security.md',
  'sandbox.md',
  'versions.md',
];

export const guides: readonly Guide[] = FILES.map(readGuide);

function readGuide(file: string): Guide {
  const text = readFileSync(join(__dirname, '..', 'guides', file), 'utf8');
  const [, title = file, about = ''] = /^# (.*)\n\n((?:.+\n)+)/m.exec(text) ?? [];
  const plain = about
    .trimEnd()
    .replaceAll('\n', ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return { file, title, about: plain.split(/(?<=\.) /)[0] ?? plain, text };
}
