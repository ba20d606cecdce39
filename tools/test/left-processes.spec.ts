import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftProcesses } from './left-processes';

it('ends processes that a spec left, which know the folder of the run, and counts each as a failure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'left-processes-'));
  const said = jest.fn();
  const forever = [process.execPath, ['-e', 'setInterval(() => {}, 1000)']] as const;
  const left = spawn(forever[0], forever[1], { env: { TMPDIR: folder } });
  const other = spawn(forever[0], forever[1], { env: {} });
  try {
    await Promise.all([once(left, 'spawn'), once(other, 'spawn')]);
    const line: unknown = expect.stringContaining(`left the process ${left.pid} running`);
    expect(endLeftProcesses(folder, said)).toEqual({ passed: 0, failed: [line], skipped: 0 });
    expect(said).toHaveBeenCalledWith(line);
    await once(left, 'exit');
    expect([left.signalCode, other.exitCode, other.signalCode]).toEqual(['SIGKILL', null, null]);
    expect(endLeftProcesses(folder, said).failed).toEqual([]);
  } finally {
    other.kill('SIGKILL');
  }
});
