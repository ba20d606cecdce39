import { spawnSync } from 'node:child_process';
import { cpuTimesMs, cpuUsedMs } from './cpu-time';

const BUSY_MS = 400;

it('counts what children used that have ended in between, where the system tells', () => {
  if (process.platform !== 'linux') return;
  const watched = [{ name: 'this', pid: process.pid, withChildren: true }];
  const alone = [{ name: 'this', pid: process.pid, withChildren: false }];
  const [before, aloneBefore] = [cpuTimesMs(watched), cpuTimesMs(alone)];
  const busy = `const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < ${BUSY_MS * 1_000});`;
  spawnSync(process.execPath, ['-e', busy]);
  const used = (from: Map<string, number>, to: Map<string, number>): number =>
    cpuUsedMs(from, to).get('this') ?? 0;
  const [all, own] = [used(before, cpuTimesMs(watched)), used(aloneBefore, cpuTimesMs(alone))];
  expect(all - own).toBeGreaterThanOrEqual(BUSY_MS);
});
