import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Root of the checkout, found upwards from this file: the same code runs as source (Jest) and from dist/, which
 * lie at different depths.
 */
export const checkoutRoot = rootAbove(__dirname);

function rootAbove(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'nx.json'))) return folder;
    if (folder === dirname(folder))
      throw new Error(`No checkout of Offizin (a folder with nx.json) above ${start}.`);
  }
}
