import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { pathsOf } from '../tidy/main';

export interface FailedTest {
  spec: string;
  complaint: string;
}
interface JestReport {
  testResults: { name: string; message: string; assertionResults: TestResult[] }[];
}
interface TestResult {
  status: string;
  fullName: string;
  failureMessages: string[];
}

/** A copy of the tracked and new files of the checkout and of its build; the packages are the checkout's. */
export class TreeCopy {
  readonly root = mkdtempSync(join(tmpdir(), 'offizin-tree-'));

  constructor() {
    for (const path of pathsOf(checkoutRoot)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      copyFileSync(join(checkoutRoot, path), join(this.root, path));
    }
    // Not all of dist: other specs write into it.
    for (const folder of ['dist/apps', 'dist/libs', 'dist/tools'])
      cpSync(join(checkoutRoot, folder), join(this.root, folder), { recursive: true });
    symlinkSync(join(checkoutRoot, 'node_modules'), join(this.root, 'node_modules'));
    execFileSync('git', ['init', '--quiet'], { cwd: this.root });
    // The pattern of .gitignore matches a folder, not a link.
    writeFileSync(join(this.root, '.git/info/exclude'), 'node_modules\n');
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  /** Builds one file, as the build of its project does; bootstrap.mjs would install packages through the link. */
  async build(path: string): Promise<void> {
    await this.run('@swc/cli/bin/swc.js', path, '-d', 'dist', '--config-file', '.swcrc', '--quiet');
  }

  /** A line of a shell block: `npm run <script>` or `node tools/bootstrap.mjs <tool>`. */
  async runTool(line: string): Promise<void> {
    const { scripts } = JSON.parse(this.read('package.json')) as { scripts: Record<string, string> };
    const command = line.replace(/^npm run (\w+)$/, (_, script: string) => scripts[script] ?? line);
    const tool = /^node tools\/bootstrap\.mjs (\w+)$/.exec(command)?.[1];
    if (tool === undefined) throw new Error(`not a tool of this tree: ${line}`);
    await this.node(`dist/tools/${tool}/main.js`);
  }

  /** Runs a program of a package in the copy. */
  async run(program: string, ...args: string[]): Promise<void> {
    await this.node(join('node_modules', program), ...args);
  }

  /** The failed tests in the order of the specs. */
  async failedTests(specs: readonly string[]): Promise<FailedTest[]> {
    if (specs.length === 0) return [];
    const report = join(this.root, 'dist/jest.json');
    const cache = join(this.root, '.nx/jest');
    const options = ['--runInBand', '--cacheDirectory', cache, '--json', '--outputFile', report];
    // Jest ends with 1 when a test fails; the report says which.
    await this.run('jest/bin/jest.js', ...options, '--', ...specs).catch(() => undefined);
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JestReport;
    rmSync(report);
    return specs.flatMap((spec) => {
      const result = testResults.find(({ name }) => name.endsWith(`/${spec}`));
      if (!result) throw new Error(`Jest did not run ${spec}`);
      const { message, assertionResults } = result;
      if (assertionResults.length === 0) return [{ spec, complaint: message }];
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      return failed.map((test) => ({ spec, complaint: complaintOf(test) }));
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private async node(...args: string[]): Promise<void> {
    await promisify(execFile)(process.execPath, args, { cwd: this.root, maxBuffer: 10_000_000 });
  }
}

/** The message of a thrown error, or the name of the test if an `expect` failed. */
function complaintOf({ fullName, failureMessages: [message = ''] }: TestResult): string {
  const [line = ''] = message.split('\n');
  return line.startsWith('Error: ') && !line.includes('expect(') ? line.slice('Error: '.length) : fullName;
}
