import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@offizin/local-stack/ports';
import { VERSION } from '@offizin/runtime/version';
import { eventually } from '@offizin/testkit/eventually';
import { http } from '@offizin/testkit/http';
import { describeWithout, killChild, programProblem, requiredProgram } from '@offizin/testkit/programs';
import { helm } from './helm';
import {
  CHART,
  chartArguments,
  type Manifest,
  manifestsOf,
  parseManifests,
  renderProblem,
} from './manifests';

const problem = renderProblem ?? programProblem('docker-registry');

describeWithout(problem, 'the package of the chart, in a real registry,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-registry-'));
  let registry: ChildProcess | undefined;
  let place: string;

  beforeAll(async () => {
    const port = await freePort();
    const settings = {
      version: 0.1,
      log: { level: 'error' },
      storage: { filesystem: { rootdirectory: join(folder, 'storage') } },
      http: { addr: `127.0.0.1:${port}` },
    };
    // JSON is YAML.
    writeFileSync(join(folder, 'registry.yml'), JSON.stringify(settings));
    const args = ['serve', join(folder, 'registry.yml')];
    registry = spawn(requiredProgram('docker-registry'), args, { stdio: 'ignore' });
    const answers = async () => (await http(`http://127.0.0.1:${port}/v2/`)).status === 200;
    await eventually('the registry to answer', answers);
    place = `127.0.0.1:${port}/charts`;
    mkdirSync(join(folder, 'packed'));
    helm(4, ['package', CHART, '--destination', join(folder, 'packed')]);
  }, 60_000);
  afterAll(async () => {
    await killChild(registry);
    rmSync(folder, { recursive: true });
  });

  it('is rendered by its version and by its digest, as the folder is', async () => {
    helm(4, ['push', join(folder, 'packed', `offizin-${VERSION}.tgz`), `oci://${place}`, '--plain-http']);
    const manifest = `http://${place.replace('/', '/v2/')}/offizin/manifests/${VERSION}`;
    const accept = 'application/vnd.oci.image.manifest.v1+json';
    const { headers } = await fetch(manifest, { method: 'HEAD', headers: { accept } });
    const digest = headers.get('docker-content-digest') ?? '';
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const render = (...chart: string[]): Manifest[] => {
      const args = chartArguments(['template', 'offizin'], 'production', chart);
      return parseManifests(helm(4, [...args, '--plain-http']));
    };
    expect(render(`oci://${place}/offizin`, '--version', VERSION)).toEqual(manifestsOf('production'));
    expect(render(`oci://${place}/offizin@${digest}`)).toEqual(manifestsOf('production'));
    expect(() => render(`oci://${place}/offizin@sha256:${'0a'.repeat(32)}`)).toThrow(/not found/);
  }, 60_000);
});
