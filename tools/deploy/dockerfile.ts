import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The part of a Dockerfile that image.spec.ts repeats: what is copied from where, and what is started. */
interface ImageCopy {
  /** Stage that it is taken from. */
  from: string;
  source: string;
  target: string;
}

interface ImageStage {
  name: string;
  /** Stage or image that it begins with. */
  base: string;
  copies: ImageCopy[];
  user: string | undefined;
  entrypoint: string[];
}

/** Every `FROM … AS …` with what the spec needs of it; what a stage begins with counts as its own. */
export function imageStages(dockerfile: string): Map<string, ImageStage> {
  const stages = new Map<string, ImageStage>();
  for (const part of dockerfile.split(/^(?=FROM )/m).slice(1)) {
    const [, base = '', name = ''] = /^FROM (\S+) AS (\S+)/.exec(part) ?? [];
    const inherited = stages.get(base);
    const copies = [...part.matchAll(/^COPY --from=(\S+) (\S+) (\S+)$/gm)].map(
      ([, from = '', source = '', target = '']) => ({ from, source, target }),
    );
    const entrypoint = /^ENTRYPOINT (\[.*\])$/m.exec(part)?.[1];
    stages.set(name, {
      name,
      base,
      copies: [...(inherited?.copies ?? []), ...copies],
      user: /^USER (\S+)$/m.exec(part)?.[1] ?? inherited?.user,
      entrypoint: entrypoint ? (JSON.parse(entrypoint) as string[]) : (inherited?.entrypoint ?? []),
    });
  }
  return stages;
}

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
