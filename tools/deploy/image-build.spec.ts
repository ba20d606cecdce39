import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { buildContext } from './build-context';

/** The build stage of deploy/Dockerfile without Docker: the files that the ignore file admits, built without a cache. */
const folder = mkdtempSync(join(tmpdir(), 'offizin-build-'));
const context = buildContext(
  checkoutRoot,
  readFileSync(join(checkoutRoot, 'deploy/Dockerfile.dockerignore'), 'utf8'),
);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the build context of the image', () => {
  it('builds every app, the command line and the client', () => {
    for (const file of context) cpSync(join(checkoutRoot, file), join(folder, file));
    symlinkSync(join(checkoutRoot, 'node_modules'), join(folder, 'node_modules'));
    const nx = join('node_modules', '.bin', 'nx');
    const build = spawnSync(nx, ['run-many', '-t', 'build', '--skip-nx-cache', '--output-style=static'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' },
    });
    expect({ status: build.status, output: build.status === 0 ? '' : build.stdout + build.stderr }).toEqual({
      status: 0,
      output: '',
    });
    const made = [
      ...appNames.map((app) => `dist/apps/${app}/main.js`),
      'dist/tools/offizin/main.js',
      'dist/clients/typescript/LICENSE',
    ];
    expect(made.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  }, 180_000);

  it('holds no spec, no data and no secret', () => {
    expect(context).toContain('package.json');
    expect(
      context.filter((file) => /\.spec\.ts$|(^|\/)(\.data|secrets|node_modules|dist)\//.test(file)),
    ).toEqual([]);
  });
});
