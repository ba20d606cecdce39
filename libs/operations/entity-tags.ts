import { invalid, Refused } from '@offizin/contracts/calls/errors';

/** Source: RFC 9110, sections 8.8.3 and 13.1. */
export type EntityTags = '*' | readonly string[];

export const MALFORMED_TAGS = 'must be * or a list of entity tags, such as "3" with its quotation marks';

/** One list element, possibly empty, and its end. A tag may contain a comma. */
const ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(,|$)/y;

/** As sent; null unless the value is `*` or a list of at least one tag. */
export function readEntityTags(value: string): EntityTags | null {
  if (value.trim() === '*') return '*';
  const tags: string[] = [];
  ELEMENT.lastIndex = 0;
  for (;;) {
    const element = ELEMENT.exec(value);
    if (!element) return null;
    const [, tag, end] = element;
    if (tag !== undefined) tags.push(tag);
    if (end === '') return tags.length > 0 ? tags : null;
  }
}

/** The tags that If-Match names. Throws `Refused` for a malformed header. */
export function tagsOfIfMatch(ifMatch: string): EntityTags {
  const tags = readEntityTags(ifMatch);
  if (!tags) throw invalid([{ field: 'If-Match', message: MALFORMED_TAGS }]);
  return tags;
}

/** Without the header everything may be changed. Throws `Refused` (invalid_request, precondition_failed with `message`). */
export function requireMatch(ifMatch: string | undefined, current: string, message: string): void {
  if (ifMatch === undefined || matchesStrongly(tagsOfIfMatch(ifMatch), current)) return;
  throw new Refused('precondition_failed', message);
}

/** A proxy that compresses makes `W/"3"`, `"3-gzip"` (Apache) or `"3--gzip"` (Jetty) of `"3"`. */
const VERSION = /^(?:W\/)?"([1-9]\d{0,8})(?:--?(?:gzip|br|deflate|zstd))?"$/;

/** Null for a tag that is not the version of an object, such as that of a file. */
export function versionOfTag(tag: string): number | null {
  const [, version] = VERSION.exec(tag) ?? [];
  return version === undefined ? null : Number(version);
}

/** For If-Match: a weak tag matches only as a version. */
export function matchesStrongly(tags: EntityTags, current: string): boolean {
  if (tags === '*') return true;
  return tags.some((tag) => (tag === current && !isWeak(current)) || isVersion(tag, current));
}

/** For If-None-Match. */
export function matchesWeakly(tags: EntityTags, current: string): boolean {
  return tags === '*' || tags.some((tag) => opaque(tag) === opaque(current) || isVersion(tag, current));
}

function isVersion(tag: string, current: string): boolean {
  const version = versionOfTag(tag);
  return version !== null && current === `"${version}"`;
}

function isWeak(tag: string): boolean {
  return tag.startsWith('W/');
}

function opaque(tag: string): string {
  return isWeak(tag) ? tag.slice(2) : tag;
}
