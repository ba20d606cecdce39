import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { type PublishedFile, publishedFile } from '@offizin/http-edge/published-file';

/** A page that Vite has built, read into memory at start: a request selects an entry, never a file. */
export interface PageBundle {
  index: PublishedFile;
  assets: ReadonlyMap<string, PublishedFile>;
}

export const INDEX_CACHING = 'no-cache';
/** Their names come from their contents. */
export const ASSET_CACHING = 'public, max-age=31536000, immutable';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.ttf': 'font/ttf',
};

/** Null without a bundle. */
export function readPageBundle(folder: string): PageBundle | null {
  const assetsFolder = join(folder, 'assets');
  if (!existsSync(join(folder, 'index.html')) || !existsSync(assetsFolder)) return null;
  const names = readdirSync(assetsFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:gz|br)$/.test(entry.name))
    .map(({ parentPath, name }) => relative(assetsFolder, join(parentPath, name)));
  return {
    index: readFile(join(folder, 'index.html'), 'text/html; charset=utf-8'),
    assets: new Map(names.map((name) => [name, readFile(join(assetsFolder, name), mediaTypeOf(name))])),
  };
}

function mediaTypeOf(name: string): string {
  return MEDIA_TYPES[extname(name)] ?? 'application/octet-stream';
}

/** The build makes either both compressed copies of a file or, of what is compressed already, none. */
function readFile(path: string, mediaType: string): PublishedFile {
  const bytes = readFileSync(path);
  const [br, gzip] = [`${path}.br`, `${path}.gz`];
  if (!existsSync(br) || !existsSync(gzip))
    return publishedFile(mediaType, bytes, { br: bytes, gzip: bytes });
  return publishedFile(mediaType, bytes, { br: readFileSync(br), gzip: readFileSync(gzip) });
}
