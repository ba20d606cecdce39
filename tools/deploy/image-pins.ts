import { isMap, isSeq, parseDocument, type YAMLSeq } from 'yaml';

/** `registry.example.org/offizin:0.1.0@sha256:…` in its parts. */
export interface ImageReference {
  /** Last part of `place`, by which manifests name the image. */
  name: string;
  /** With the registry. */
  place: string;
  tag?: string;
  digest?: string;
}

/** The lists from which Kustomize takes images, and the images that each overlay runs. */
export const imageLists = {
  production: {
    file: 'deploy/kubernetes/components/production-settings/kustomization.yaml',
    images: ['offizin', 'nats'],
  },
  'one-node': {
    file: 'deploy/kubernetes/overlays/one-node/kustomization.yaml',
    images: ['offizin', 'nats', 'postgres'],
  },
};
export type ImageList = (typeof imageLists)[keyof typeof imageLists];

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

/**
 * The list with these images; all else stays as it is. Throws on an image that the overlay does not run, and on one
 * that names neither digest nor version.
 */
export function withImages(text: string, wanted: readonly ImageReference[], { images }: ImageList): string {
  const document = parseDocument(text);
  for (const image of wanted) {
    if (!images.includes(image.name))
      throw new Error(`This overlay runs no image ${image.name}: it runs ${images.join(', ')}.`);
    if (isFloating(image))
      throw new Error(`${image.place} names no version: pin it by its digest, ${image.place}@sha256:….`);
    const list = document.get('images');
    if (!isSeq(list)) throw new Error('The kustomization has no list of images.');
    setEntry(list, image, (entry) => document.createNode(entry, { flow: true }));
  }
  return document.toString({ lineWidth: 0 });
}

/** Names in the list, or run without an entry in it, that have no digest. */
export function unpinned(text: string, { images }: ImageList): string[] {
  const { images: entries = [] } = parseDocument(text).toJS() as {
    images?: { name: string; digest?: string }[];
  };
  const pinned = entries.filter(({ digest }) => digest !== undefined).map(({ name }) => name);
  return images.filter((name) => !pinned.includes(name));
}

function setEntry(
  list: YAMLSeq,
  { name, place, tag, digest }: ImageReference,
  nodeOf: (entry: object) => unknown,
): void {
  const version = digest === undefined ? { newTag: tag } : { digest };
  const node = nodeOf({ name, newName: place, ...version });
  const index = list.items.findIndex((item) => isMap(item) && item.get('name') === name);
  if (index === -1) list.add(node);
  else list.items[index] = node;
}
