import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { git } from './changes';
import { HEAVIER } from './inputs';
import { filesOf, PHASES } from './phases';

/** Rules of the phases, over all spec files. */
const specs = git('ls-files', '*.spec.ts').split('\n');
const read = (file: string): string => readFileSync(join(checkoutRoot, file), 'utf8');
/** Parts of the fault stack: run by verification/promises/fault-stack/fault-stack.stack.spec.ts. */
const isPart = (file: string): boolean => file.endsWith('.fault.spec.ts');

it('run in exactly one phase each', () => {
  const phasesOf = (file: string): string[] =>
    PHASES.filter((phase) => filesOf(phase, [file]).length > 0).map(({ name }) => name);
  const wrong = specs.filter((file) => phasesOf(file).length !== (isPart(file) ? 0 : 1));
  expect(wrong).toEqual([]);
});

it('start a stack of their own only where nothing runs beside them', () => {
  const starts = /\b(startOwnStack|startStack)\(/;
  const wrong = specs.filter((file) => !/\.(stack|alone)\./.test(file) && starts.test(read(file)));
  expect(wrong).toEqual([]);
});

it('with a stack of their own use no server of the run, which is stopped by then', () => {
  const uses = /\b(testDatabase|testEnvironment|TestPlatform\.connect)\(\)|\btestDatabase\(/;
  const stacks = specs.filter((file) => /\.(stack|fault)\.spec\.ts$/.test(file));
  expect(stacks.filter((file) => uses.test(read(file)))).toEqual([]);
});

it('multiply a bound of elapsed time by the slowness of the machine where other specs run beside them', () => {
  const bound = /(performance\.now\(\) - |durationMs|answeredAfterMs).*\.toBeLessThan\((?!.*SLOWNESS)/;
  const beside = specs.filter(
    (file) => !/\.(alone|stack|fault)\./.test(file) && file !== 'tools/test/spec-files.spec.ts',
  );
  expect(beside.filter((file) => bound.test(read(file)))).toEqual([]);
});

it('with a stack of their own are heavier ones, but for the fault stack', () => {
  const heavier = HEAVIER.flatMap((row) => row.specs);
  const stacks = specs.filter((file) => file.endsWith('.stack.spec.ts'));
  expect(stacks.filter((file) => !heavier.includes(file))).toEqual([
    'verification/promises/fault-stack/fault-stack.stack.spec.ts',
  ]);
});
