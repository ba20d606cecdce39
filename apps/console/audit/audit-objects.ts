/** Entries about versions and documents say more after the id: `order-request:<id>:document:2:version:3`. */
const PART = /(?::document:(\d+))?(?::version:(\d+))?$/;

export function wholeOf(object: string): string {
  return object.replace(PART, '');
}

export function partOf(object: string): { document: string | undefined; version: string | undefined } {
  const [, document, version] = PART.exec(object) ?? [];
  return { document, version };
}
