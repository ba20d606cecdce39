import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const INSTALL_LIMIT_MS = 5 * 60_000;

/**
 * Path of a Chromium: `CHROMIUM_PATH`, else on the path, else Debian's package, which it installs when it may. Rejects
 * with a sentence that says what to do.
 */
export async function findChromium(): Promise<string> {
  const named = process.env['CHROMIUM_PATH'];
  if (named) {
    if (isProgram(named)) return named;
    throw new Error(`CHROMIUM_PATH names no program: ${named}`);
  }
  const present = onPath();
  if (present) return present;
  if (!mayInstall())
    throw new Error('There is no Chromium on the path. Install it, or name it in CHROMIUM_PATH.');
  await installPackage();
  const installed = onPath();
  if (!installed) throw new Error("Debian's package chromium brought no program chromium.");
  return installed;
}

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Only Debian: the package of that name on Ubuntu wants a snap. */
function mayInstall(): boolean {
  const release = '/etc/os-release';
  const isDebian = existsSync(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8'));
  return isDebian && process.getuid?.() === 0;
}

/** Two test runs may start at once: the second waits for the lock and then finds the program. */
async function installPackage(): Promise<void> {
  process.stderr.write("offizin: installing Debian's package chromium\n");
  const steps = 'apt-get -q update && apt-get -q install -y --no-install-recommends chromium';
  const once = `command -v chromium >/dev/null || { ${steps}; }`;
  const lock = join(tmpdir(), 'offizin-chromium.lock');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await promisify(execFile)('flock', ['--wait', '240', lock, 'sh', '-c', once], {
      env,
      timeout: INSTALL_LIMIT_MS,
      maxBuffer: 16 * 1024 * 1024,
    });
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim().split('\n').slice(-2).join(' ') ?? '';
    throw new Error(`Debian's package chromium could not be installed: ${reason || String(error)}`);
  }
}
