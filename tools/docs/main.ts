import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { pages } from './pages';
import { readProductionCode } from './production-code';

/** `node tools/bootstrap.mjs docs`: writes the pages that are made from the code. docs.spec.ts compares them with it. */
const code = readProductionCode();
for (const [path, page] of Object.entries(pages)) {
  writeFileSync(join(checkoutRoot, path), page(code));
  console.log(`written: ${path}`);
}
