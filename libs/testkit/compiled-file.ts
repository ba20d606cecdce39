import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** Path of a compiled module, for code that runs in its own thread or process. `npm test` has built it. */
export function compiledFile(source: string): string {
  return join(checkoutRoot, 'dist', source.replace(/\.ts$/, '.js'));
}
