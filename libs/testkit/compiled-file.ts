import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** A module as it is built and installed: what runs in a thread or process of its own. `npm test` has built it. */
export function compiledFile(source: string): string {
  return join(checkoutRoot, 'dist', source.replace(/\.ts$/, '.js'));
}
