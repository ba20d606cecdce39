#!/usr/bin/env node
// node tools/bootstrap.mjs <tool> [arguments]: from a fresh checkout to a running tool, with nothing but Node.js.
//
// Installs when package-lock.json differs from what is installed, builds when a source file changed, then runs the
// main.js of tools/<tool> or verification/<tool> in dist and ends with its exit code. Without changes it does neither.
// Two concurrent bootstraps do not disturb each other: one works, the other waits. Plain Node.js, no dependency: it
// runs before there are any, and in the syntax of Node.js 12 (tools/up/help.spec.ts), so that an old one prints what it
// needs.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import fs, { statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { constants, homedir } from 'node:os';

/** Not imported by its name, which Node.js 12 does not know. */
const { rmSync } = fs;
const root = join(dirname(process.argv[1]), '..');
const lockFile = join(root, 'package-lock.json');
const installStamp = join(root, 'node_modules', '.offizin-lock');
const buildStamp = join(root, 'dist', '.stamp');
const workLock = join(root, '.nx', 'bootstrap.lock');
const sourceFolders = ['apps', 'libs', 'tools', 'verification'];
const buildSettings = ['.swcrc', 'nx.json', 'package-lock.json'];
/** The browser app is made of .tsx, .css and .html, too; migrations are .sql. */
const sourceName = /\.(?:tsx?|css|html|sql)$|^(?:project\.json|vite\.config\.mjs)$/;
const workLimitMs = 20 * 60 * 1000;
const saidEveryMs = 10000;
/** npm goes on installing after a SIGINT or SIGTERM. What it leaves is removed by the next `npm ci`. */
const killAfterMs = 2000;

checkNode();
const [tool, ...toolArguments] = process.argv.slice(2);
if (!tool || !/^[a-z][a-z0-9-]*$/.test(tool)) fail('Usage: node tools/bootstrap.mjs <tool> [arguments]');
const toolFolder = ['tools', 'verification']
  .map((folder) => join(folder, tool))
  .find((folder) => existsSync(join(root, folder, 'main.ts')));
if (!toolFolder) fail(`There is no tool "${tool}" in tools or verification.`);

printHelp();
checkBroker();
/** Ends what runs now. Having listeners keeps this process alive until the child has put everything away. */
let stop = cancelled;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
whenNpmIsGone(() => stop('SIGTERM'));
prepare()
  .then(runTool)
  .catch((error) => fail(error.message));

async function prepare() {
  if (isInstalled() && isBuilt()) return;
  await withWorkLock(async () => {
    if (!isInstalled()) await install();
    if (!isBuilt()) await build();
  });
}

/** As tools/local-stack/nats-program.ts searches. Where nothing will work this is said before 1.2 GB are installed. */
function checkBroker() {
  if (tool !== 'up' || process.env.NATS_URL || isInstalled()) return;
  const ours = join(root, 'tools', 'local-stack');
  const { least, version, sha256 } = JSON.parse(readFileSync(join(ours, 'nats-release.json'), 'utf8'));
  const system = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const isFetched = sha256[system] || existsSync('/usr/bin/apt-get');
  if (isFetched && process.env.NATS_SERVER_FETCH !== 'off') return;
  const further = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'offizin');
  const folders = [...(process.env.PATH || '').split(delimiter), ...further];
  const cached = [version, 'packaged'].map((one) => join(cache, `nats-server-${one}`));
  const isBroker = (file) => {
    const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 5000 });
    const found = /^nats-server: v(\d+\.\d+\.\d+)/m.exec(stdout || '');
    return found && found[1].localeCompare(least, 'en', { numeric: true }) >= 0;
  };
  if ([...folders.map((folder) => join(folder, 'nats-server')), ...cached].some(isBroker)) return;
  const remedies = readFileSync(join(ours, 'nats-missing.txt'), 'utf8');
  fail(`There is no nats-server that can be used.\n${remedies.trimEnd()}`);
}

/** Prints the help.txt of a tool immediately: reading the options must not install 1.2 GB first. */
function printHelp() {
  const help = join(root, toolFolder, 'help.txt');
  if (!toolArguments.some((one) => one === '--help' || one === '-h') || !existsSync(help)) return;
  process.stdout.write(readFileSync(help));
  process.exit();
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(`Offizin needs Node.js 20.19 or newer; this is ${process.versions.node} (${process.execPath}).`);
}

function isInstalled() {
  if (!existsSync(join(root, 'node_modules', 'nx', 'package.json'))) return false;
  if (existsSync(installStamp)) return readFileSync(installStamp, 'utf8') === lockHash();
  // Installed by a plain `npm ci`: npm writes its own record last, so a newer record means this lock file.
  const npmRecord = join(root, 'node_modules', '.package-lock.json');
  return existsSync(npmRecord) && statSync(npmRecord).mtimeMs >= statSync(lockFile).mtimeMs;
}

async function install() {
  const output = { doing: 'installing packages (npm ci)', isShown: true };
  await work('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], output);
  writeFileSync(installStamp, lockHash());
}

function lockHash() {
  return createHash('sha256').update(readFileSync(lockFile)).digest('hex');
}

function isBuilt() {
  const known = readStamp();
  return known !== undefined && known.hash === describeSources().hash;
}

async function build() {
  // Taken before building: a file saved meanwhile is built again next time.
  const sources = describeSources();
  const present = new Set(sources.files);
  const known = readStamp();
  const disappeared = known ? known.files.some((file) => !present.has(file)) : existsSync(join(root, 'dist'));
  rmSync(buildStamp, { force: true });
  // swc never deletes: what is left of a removed file could still be imported.
  if (disappeared) rmSync(join(root, 'dist'), { recursive: true, force: true });
  const nx = join(root, 'node_modules', '.bin', 'nx');
  await work(process.execPath, [nx, 'run-many', '-t', 'build', '--output-style=static'], {
    doing: 'building',
  });
  mkdirSync(dirname(buildStamp), { recursive: true });
  writeFileSync(buildStamp, JSON.stringify(sources));
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(buildStamp, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Path, time and size of every source: enough to see a change, and quick. Nx compares contents where it matters. */
function describeSources() {
  const files = [...buildSettings, ...sourceFolders.flatMap((folder) => sourcesIn(join(root, folder)))];
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return { hash: hash.digest('hex'), files };
}

function sourcesIn(folder) {
  if (!existsSync(folder)) return [];
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') found.push(...sourcesIn(path));
    } else if (sourceName.test(entry.name)) {
      found.push(relative(root, path));
    }
  }
  return found.sort();
}

/** Standard output belongs to the tool; what npm and Nx say goes to standard error, and only when it is wanted. */
async function work(command, commandArguments, output) {
  const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' };
  const stdio = output.isShown ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'];
  say(output.doing);
  // A separate group, so that nothing of it outlives this process, which holds the lock.
  const child = spawn(command, commandArguments, { cwd: root, env, stdio, detached: true });
  let stoppedBy;
  stop = (signal) => {
    stoppedBy = stoppedBy || signal;
    killGroup(child, 'SIGTERM');
    setTimeout(() => killGroup(child, 'SIGKILL'), killAfterMs);
  };
  const said = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream) stream.on('data', (piece) => said.push(piece));
  const { code, error } = await saidAgain(
    `still ${output.doing}`,
    new Promise((resolve) => {
      child.once('error', (error) => resolve({ error }));
      child.once('close', (code) => resolve({ code }));
    }),
  );
  if (stoppedBy) cancelled(stoppedBy);
  if (code === 0) return;
  process.stderr.write(Buffer.concat(said));
  const reason = error ? `: ${error.message}` : '';
  fail(`${[command, ...commandArguments].join(' ')} failed${reason}.`);
}

/** Repeats the line each 10 s while the work goes on. */
async function saidAgain(line, work) {
  const startedAt = Date.now();
  const timer = setInterval(
    () => say(`${line} (${Math.round((Date.now() - startedAt) / 1000)} s)`),
    saidEveryMs,
  );
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

function killGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}

async function withWorkLock(action) {
  mkdirSync(dirname(workLock), { recursive: true });
  const draft = `${workLock}.${process.pid}`;
  let held = false;
  const release = () => {
    rmSync(draft, { force: true });
    if (held) rmSync(workLock, { force: true });
    held = false;
  };
  // fail() ends the process from within; the lock must go then, too.
  process.once('exit', release);
  writeFileSync(draft, String(process.pid));
  const deadline = Date.now() + workLimitMs;
  let saidAt = -Infinity;
  while (!(held = takeLock(draft))) {
    if (Date.now() > deadline)
      fail(`Another bootstrap is still at work. If that is not so, delete ${workLock}.`);
    if (Date.now() - saidAt >= saidEveryMs) {
      say('waiting for another installation or build');
      saidAt = Date.now();
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  rmSync(draft, { force: true });
  await action();
  release();
}

/** Links the complete lock into place, so no process reads half of it; moves the lock of a dead process aside. */
function takeLock(draft) {
  try {
    linkSync(draft, workLock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (lockIsHeld(workLock)) return false;
  const aside = `${draft}.stale`;
  try {
    renameSync(workLock, aside);
    // Renaming is atomic, reading before it was not: give back a lock that was taken in between.
    if (lockIsHeld(aside)) linkSync(aside, workLock);
  } catch {
    // Another waiting bootstrap was quicker; the next round detects it.
  }
  rmSync(aside, { force: true });
  return false;
}

function lockIsHeld(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (Date.now() - statSync(file).mtimeMs > workLimitMs) return false;
    process.kill(pid, 0);
    // The number may belong to something else by now; where the system tells, look.
    return !existsSync('/proc/self/cmdline') || commandLineOf(pid).includes('bootstrap.mjs');
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function runTool() {
  const main = join(root, 'dist', toolFolder, 'main.js');
  const env = { ...process.env, OFFIZIN_BOOTSTRAP_PID: String(process.pid) };
  const child = spawn(process.execPath, ['--enable-source-maps', main, ...toolArguments], {
    env,
    stdio: 'inherit',
  });
  stop = (signal) => child.kill(signal);
  child.once('error', (error) => fail(error.message));
  child.once('exit', (code, signal) =>
    process.exit(code === null ? 128 + (constants.signals[signal] || 0) : code),
  );
}

/**
 * npm runs a script behind a shell, which `exec` in the script replaces by us: dash keeps a SIGINT of npm for itself,
 * so `npm start` needs it. Behind a shell no signal could stop the tool. A SIGTERM for npm ends npm and the shell, and
 * dash does not pass it on to us. A SIGKILL for npm leaves the shell. Elsewhere than on Linux the shell is replaced by
 * us, and npm's signals arrive.
 */
function whenNpmIsGone(then) {
  if (process.platform !== 'linux' || !process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const isNpm = (pid) => /^npm\b|\bnpm-cli\.js\b/.test(commandLineOf(pid));
  const npm = isNpm(parent) ? parent : parentOf(parent);
  if (!isNpm(npm)) return;
  const watch = setInterval(() => {
    if (process.ppid === parent && (npm === parent || parentOf(parent) === npm)) return;
    clearInterval(watch);
    then();
  }, 300);
  watch.unref();
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function commandLineOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function say(line) {
  process.stderr.write(`offizin: ${line}\n`);
}

/** As tools/up prints it once it runs. */
function cancelled(signal) {
  say('The start was cancelled.');
  process.exit(128 + constants.signals[signal]);
}

function fail(line) {
  say(line);
  process.exit(1);
}
