import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Root of the checkout, found by walking up: source (Jest) and dist/ lie at different depths. */
export const checkoutRoot = rootAbove(__dirname);

function rootAbove(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'nx.json'))) return folder;
    if (folder === dirname(folder))
      throw new Error(`No checkout of Offizin (a folder with nx.json) above ${start}.`);
  }
}
