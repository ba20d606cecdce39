/** `registry.example.org/offizin:0.1.0@sha256:…` in its parts. */
export interface ImageReference {
  /** Last part of `place`. */
  name: string;
  /** With the registry. */
  place: string;
  tag?: string;
  digest?: string;
}

const REFERENCE =
  /^((?:[\w.-]+(?::\d+)?\/)?[\w.-]+(?:\/[\w.-]+)*)(?::([\w.-]+))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** Throws on text that is not a reference. */
export function imageReference(text: string): ImageReference {
  const [, place, tag, digest] = REFERENCE.exec(text) ?? [];
  if (place === undefined)
    throw new Error(`${text} is not an image: write <name>@sha256:<64 hexadecimal digits>.`);
  return { name: place.split('/').at(-1) ?? place, place, tag, digest };
}

/** Another image may come under the same reference at any time. */
export function isFloating({ tag, digest }: ImageReference): boolean {
  return digest === undefined && (tag === undefined || tag === 'latest');
}
