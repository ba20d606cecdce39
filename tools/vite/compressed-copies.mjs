/** A Vite plugin: beside each text file a gzip and a brotli copy, made once, at the best quality. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSED = /\.(?:html|js|mjs|css|svg|json|wasm)$/;

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
