import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** What the builds of all pages share that the gateway serves (apps/gateway/bundles). */
const BROWSERS = ['chrome123', 'firefox121', 'safari17.5'];

export const pageBuild = {
  emptyOutDir: true,
  target: BROWSERS,
  // An older target would rewrite light-dark().
  cssTarget: BROWSERS,
  // Fonts and pictures stay files: the policies of the pages allow no data: fonts.
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  reportCompressedSize: false,
};

const COMPRESSED = /\.(?:html|js|mjs|css|svg|json|wasm)$/;

/** A Vite plugin: beside each text file a gzip and a brotli copy, made once, at the best quality. */
export function compressedCopies() {
  return {
    name: 'compressed-copies',
    apply: 'build',
    writeBundle({ dir }) {
      for (const file of readdirSync(dir, { recursive: true })) {
        if (!COMPRESSED.test(file)) continue;
        const bytes = readFileSync(join(dir, file));
        const { BROTLI_PARAM_SIZE_HINT: hint } = constants;
        writeFileSync(join(dir, `${file}.gz`), gzipSync(bytes, { level: 9 }));
        writeFileSync(
          join(dir, `${file}.br`),
          brotliCompressSync(bytes, { params: { [hint]: bytes.length } }),
        );
      }
    },
  };
}
