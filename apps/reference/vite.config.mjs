/**
 * Builds the reference page into dist/apps/reference. apps/gateway/reference-page serves it from memory, under a policy
 * that allows no inline script or style. Swagger UI is a separate chunk, which loads after the page is drawn.
 */
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressedCopies } from '../../tools/vite/compressed-copies.mjs';

export default defineConfig({
  root: import.meta.dirname,
  base: '/docs/',
  plugins: [compressedCopies()],
  resolve: { alias: { '@offizin/openapi': join(import.meta.dirname, '../../libs/openapi') } },
  build: {
    outDir: '../../dist/apps/reference',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // An older target would rewrite light-dark().
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
});
