/**
 * Builds the reference page into dist/apps/reference. apps/gateway/reference-page serves it from memory, under a policy
 * that allows no inline script or style. Swagger UI is a separate chunk, which loads after the page is drawn.
 */
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressedCopies, pageBuild } from '../page-build.mjs';

export default defineConfig({
  root: import.meta.dirname,
  base: '/docs/',
  plugins: [compressedCopies()],
  resolve: { alias: { '@offizin/openapi': join(import.meta.dirname, '../../libs/openapi') } },
  build: {
    ...pageBuild,
    outDir: '../../dist/apps/reference',
    chunkSizeWarningLimit: 2000,
  },
});
