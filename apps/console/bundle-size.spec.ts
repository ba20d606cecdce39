import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a browser loads before it shows something, compressed as most browsers take it. See
 * docs/contract.md#the-consoles-page
 */
const checkout = join(__dirname, '../..');
const bundle = join(checkout, 'dist/apps/console');
const KB = 1000;
const BUILD_LIMIT_MS = 240_000;

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
  isDynamicEntry?: boolean;
}

let chunks: Record<string, Chunk>;

beforeAll(() => {
  // Nx answers from its cache when nothing has changed.
  const nx = join(checkout, 'node_modules/.bin/nx');
  const env = {
    ...process.env,
    NX_DAEMON: 'false',
    NX_TUI: 'false',
    NX_NO_CLOUD: 'true',
    NODE_ENV: 'production',
  };
  execFileSync(process.execPath, [nx, 'run', 'console:build'], { cwd: checkout, env, stdio: 'pipe' });
  chunks = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
}, BUILD_LIMIT_MS);

/** The entries with all that they import before they run, as files. */
function filesOf(...entries: string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const chunk = chunks[name];
    if (!chunk) throw new Error(`the bundle has no ${name}`);
    chunk.imports?.forEach(visit);
  };
  entries.forEach(visit);
  return new Set([...seen].flatMap((name) => [chunks[name]?.file ?? '', ...(chunks[name]?.css ?? [])]));
}

function gzipBytes(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + statSync(join(bundle, `${file}.gz`)).size, 0);
}

/** The library of plots comes after the page that shows it. */
const PLOTS: Readonly<Record<string, string[]>> = {
  'stock/stock.page.tsx': ['plots/step-plot.tsx'],
  'reports/reports.page.tsx': ['plots/bars.tsx', 'plots/day-bars.tsx'],
};
const requestList = ['index.html', 'text/de.ts', 'requests/inbox/requests.page.tsx'];

it('shows the request list after at most 170 KB of scripts and styles', () => {
  expect(gzipBytes(filesOf(...requestList))).toBeLessThanOrEqual(170 * KB);
});

it('shows the list without waiting for the review of a request', () => {
  const review = chunks['requests/review/open-request.tsx'];
  expect(review?.isDynamicEntry).toBe(true);
  expect(filesOf(...requestList).has(review?.file ?? '')).toBe(false);
});

it('signs in with less than the request list, and adds at most 40 KB for any other page', () => {
  const first = filesOf('index.html', 'text/de.ts');
  const pages = Object.keys(chunks).filter(
    (name) => name.endsWith('.page.tsx') && !requestList.includes(name),
  );
  expect(pages).toEqual(expect.arrayContaining(['signing-in/sign-in.page.tsx', 'settings/me/me.page.tsx']));
  for (const page of pages) {
    const more = [...filesOf(page)].filter((file) => !first.has(file));
    expect([page, gzipBytes(more) <= 40 * KB]).toEqual([page, true]);
  }
});

it('adds at most 130 KB for a page with its plots', () => {
  const first = filesOf('index.html', 'text/de.ts');
  for (const [page, plots] of Object.entries(PLOTS)) {
    const more = [...filesOf(page, ...plots)].filter((file) => !first.has(file));
    expect([page, gzipBytes(more) <= 130 * KB]).toEqual([page, true]);
  }
});

// Not the scripts: pdfjs has the words in its own text.
it('puts no font into a style sheet as data', () => {
  const sheets = Object.values(chunks).flatMap(({ css = [] }) => css);
  expect(sheets).not.toEqual([]);
  for (const sheet of sheets) expect(readFileSync(join(bundle, sheet), 'utf8')).not.toContain('data:font');
});
