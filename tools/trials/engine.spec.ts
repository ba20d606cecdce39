import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from './engine';

const folder = mkdtempSync(join(tmpdir(), 'offizin-engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a command that exceeds its limit has failed, though it ends with code 0 when it is killed', async () => {
  const engine = new Engine(folder);
  const asPodman = `trap 'kill $!; exit 0' TERM; echo ready; sleep 5 >&- & wait`;
  await expect(engine.command('sh', ['-c', asPodman], folder, 500)).rejects.toThrow(/took longer than 0.5 s/);
  expect(await engine.command('sh', ['-c', 'echo done'], folder)).toBe('done\n');
});
