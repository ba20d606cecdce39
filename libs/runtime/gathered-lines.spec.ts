import { spawnSync } from 'node:child_process';
import { compiledFile } from '@offizin/testkit/programs';

function linesOf(script: string): { status: number | null; lines: string[] } {
  const requireLog = `const { log } = require(${JSON.stringify(compiledFile('libs/runtime/log.ts'))});`;
  const { status, stdout } = spawnSync(process.execPath, ['-e', `${requireLog} ${script}`], {
    encoding: 'utf8',
    env: { ...process.env, LOG_LEVEL: 'info' },
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { status, lines: lines.map((line) => (JSON.parse(line) as { msg: string }).msg) };
}

const COUNT = 5_000;
const expected = Array.from({ length: COUNT }, (_, place) => `line ${place}`);
const logAll = `for (let place = 0; place < ${COUNT}; place++) log.info('line ' + place);`;

describe('log lines are all written, in order', () => {
  it.each([
    ['by a process that comes to its end', logAll, 0],
    ['by one that leaves at once', `${logAll} process.exit(3);`, 3],
    ['by one that waits for them first', `${logAll} log.flush(() => process.exit(4));`, 4],
    ['by one that ends with an exception', `${logAll} throw new Error('spec');`, 1],
  ])('%s', (_, script, status) => {
    expect(linesOf(script)).toEqual({ status, lines: expected });
  });

  it('soon, also when there are few', () => {
    const { lines } = linesOf(
      `log.info('early'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1_000);`,
    );
    expect(lines).toEqual(['early']);
  });

  it('a fatal one at once', () => {
    expect(linesOf(`log.fatal('last'); process.kill(process.pid, 'SIGKILL');`).lines).toEqual(['last']);
  });
});
