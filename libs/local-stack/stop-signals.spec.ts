import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiledFile } from '@offizin/testkit/programs';

it('a command that gets the same signal again finishes its stop', async () => {
  const file = JSON.stringify(compiledFile('libs/local-stack/stop-signals.ts'));
  const script = `
    const line = (text) => process.stdout.write(text + '\\n');
    require(${file}).endOnSignal(async () => {
      line('stopping');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      line('stopped');
    });
    setInterval(() => undefined, 1000);
    line('started');`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  let told = '';
  child.stdout.on('data', (chunk: Buffer) => {
    told += chunk.toString();
    if (told.endsWith('started\n')) child.kill('SIGINT');
    if (!told.endsWith('stopping\n')) return;
    child.kill('SIGINT');
    child.kill('SIGTERM');
    child.stdin.write('go on\n');
  });
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(told).toBe('started\nstopping\nstopped\n');
});
