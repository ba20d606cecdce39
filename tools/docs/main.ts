import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { markdownTable } from './markdown-table';
import { pages, routeTable } from './pages';
import { RENDERED, renderedSql } from './rendered-sql';

/**
 * `node tools/bootstrap.mjs docs`: writes the pages and the SQL that are made from the code. Specs compare both with it.
 * `… docs routes`, which is `npm run routes`, prints every operation instead; docs/integrate/routes.md is the same table.
 */
async function write(): Promise<void> {
  const files = Object.entries(pages).map(([path, page]) => [path, page()] as const);
  const sql = Object.entries(await renderedSql()).map(
    ([name, text]) => [`${RENDERED}/${name}`, text] as const,
  );
  rmSync(join(checkoutRoot, RENDERED), { recursive: true, force: true });
  mkdirSync(join(checkoutRoot, RENDERED));
  for (const [path, text] of [...files, ...sql]) {
    writeFileSync(join(checkoutRoot, path), text);
    console.log(`written: ${path}`);
  }
}

if (process.argv[2] === 'routes') console.log(markdownTable(routeTable()));
else void write();
