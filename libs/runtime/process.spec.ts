import { spawnSync } from 'node:child_process';
import { compiledFile } from '@offizin/testkit/programs';

it('logs an uncaught exception as one fatal line of JSON and exits', () => {
  const require = `require(${JSON.stringify(compiledFile('libs/runtime/process.ts'))});`;
  const script = `${require} setTimeout(() => { throw Object.assign(new Error('spec'), { code: 'E_SPEC' }); });`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      level: 60,
      msg: 'uncaught exception',
      error: {
        name: 'Error',
        message: 'spec',
        code: 'E_SPEC',
        stack: expect.stringContaining('Error: spec'),
      },
    },
  ]);
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
});
