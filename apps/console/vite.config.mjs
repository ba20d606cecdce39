/**
 * Builds the console into dist/apps/console. apps/gateway/console serves it from memory: index.html, the files of
 * `assets` (named by content), and for each text file a gzip and a brotli copy made here, once, at the best quality.
 */
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressedCopies, pageBuild } from '../page-build.mjs';

/** Languages of text/; React Aria brings its own words in 30 others. */
const FOREIGN_WORDS =
  /[\\/]react-(?:aria|stately)[\\/].*[\\/]intl[\\/].*[\\/](?!de-DE|en-US)[a-z]{2}-[A-Z]{2}\.m?js$/;

/** Parts that every page has loaded: no part that is loaded later names them again. */
const LOADED =
  /\/(?:index|rolldown-runtime|libraries|preload-helper|lock|session\.calls|api|texts|button|key-policy)-[\w-]{8}\.js$/;

/** Loaded before it is wanted, or seldom: what it needs is found when it is there, and the first load need not name it. */
const FOUND_LATER =
  /\/(?:picker-list|(?:welcome|recall|audit|deliveries|endpoint|review|sign-on|api-keys|workflow|staff|shops)\.page)-/;

const LIBRARIES =
  /[\\/]node_modules[\\/](?:react|react-dom|scheduler|@tanstack|use-sync-external-store)[\\/]/;

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), withoutForeignWords(), fontPreload(), pdfData(), compressedCopies()],
  resolve: {
    alias: {
      '@offizin/codes': join(import.meta.dirname, '../../libs/codes'),
      '@offizin/contracts': join(import.meta.dirname, '../../libs/contracts'),
    },
  },
  // The font lives among the packages of the checkout, above this folder.
  server: { fs: { allow: ['../..'] } },
  build: {
    ...pageBuild,
    outDir: '../../dist/apps/console',
    manifest: 'manifest.json',
    modulePreload: {
      ...pageBuild.modulePreload,
      // Styles are never left out.
      resolveDependencies: (file, parts, { hostType }) =>
        hostType === 'html'
          ? parts
          : FOUND_LATER.test(file)
            ? []
            : parts.filter((part) => !LOADED.test(part)),
    },
    rolldownOptions: {
      output: {
        // One file of what every screen needs: split by use, its parts would be many, and larger together.
        codeSplitting: { groups: [{ name: 'libraries', test: LIBRARIES }] },
      },
    },
    chunkSizeWarningLimit: 1000,
  },
});

function withoutForeignWords() {
  return {
    name: 'without-foreign-words',
    apply: 'build',
    enforce: 'pre',
    load: (id) => (FOREIGN_WORDS.test(id) ? 'export default {};' : null),
  };
}

/** The page asks for its font beside its script, not after its styles: text is drawn once. */
function fontPreload() {
  return {
    name: 'font-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) => /\/inter-latin-wght-normal-.*\.woff2$/.test(name))
          .map((name) => ({
            tag: 'link',
            injectTo: 'head',
            // Without crossorigin the browser would load it a second time.
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              href: `/console/${name}`,
              crossorigin: '',
            },
          })),
    },
  };
}

/** The fonts and image decoders that pdfjs loads by name, in a folder of its version. */
function pdfData() {
  return {
    name: 'pdf-data',
    apply: 'build',
    writeBundle({ dir }) {
      const manifest = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
      const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
      const target = join(dir, 'assets', `pdf-${version}`);
      mkdirSync(target, { recursive: true });
      for (const folder of ['standard_fonts', 'wasm'])
        for (const name of readdirSync(join(dirname(manifest), folder)))
          if (/\.(?:pfb|ttf|wasm|js)$/.test(name))
            copyFileSync(join(dirname(manifest), folder, name), join(target, name));
    },
  };
}
