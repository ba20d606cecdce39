/**
 * Objects of audit entries about reads: they say what was read of `owner`, a noun with an id, so that reads of different
 * contents differ.
 */

export function versionObject(owner: string, version: number): string {
  return `${owner}:version:${version}`;
}

/** `version` is that with which the document came. A later payload's document has the number of that before. */
export function documentObject(
  owner: string,
  { number, version }: { number: number; version: number },
): string {
  return versionObject(`${owner}:document:${number}`, version);
}
