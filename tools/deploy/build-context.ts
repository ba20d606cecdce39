import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files of `folder` that a build gets from its context: all that the ignore file admits. The last matching pattern
 * decides, as in Docker. Of the syntax only what deploy/Dockerfile.dockerignore uses: names, `*`, `**` and `!`.
 */
export function buildContext(folder: string, ignoreFile: string): string[] {
  const patterns = ignoreFile
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ admits: line.startsWith('!'), matches: matcher(line.replace(/^!/, '')) }));
  const isAdmitted = (path: string): boolean =>
    patterns.findLast(({ matches }) => matches.test(path))?.admits ?? true;
  const walk = (below: string): string[] =>
    readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
      const path = join(below, entry.name);
      // No pattern admits a file below an ignored folder, so the walk leaves node_modules and .data alone.
      if (!isAdmitted(path)) return [];
      return entry.isDirectory() ? walk(path) : [path];
    });
  return walk('');
}

/** A pattern names a file, or a folder with everything below it. */
function matcher(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${source}(?:/|$)`);
}
