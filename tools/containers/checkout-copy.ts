import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/**
 * Copies the checkout: tracked and new files, without those that .gitignore names, and the compiled tools. So the commands
 * of the documentation run in the copy, and its secrets are not those of the checkout. Returns its folder.
 */
export function copyCheckout(folder: string): string {
  const copy = join(folder, 'checkout');
  rmSync(copy, { recursive: true, force: true });
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: checkoutRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.split('\0').filter((name) => name && existsSync(join(checkoutRoot, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(checkoutRoot, file), join(copy, file));
  }
  cpSync(join(checkoutRoot, 'dist'), join(copy, 'dist'), { recursive: true });
  symlinkSync(join(checkoutRoot, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
