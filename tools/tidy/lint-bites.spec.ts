import { execFileSync } from 'node:child_process';
import path from 'node:path';

interface Result {
  /** File name in tools/tidy/wrong. */
  name: string;
  bites: string;
  found: string[];
  linted: boolean;
}
interface Report {
  results: Result[];
  knownImports: number;
  unknownImports: string[];
}

const lintTimeoutMs = 240_000;

/** One ESLint run over all of tools/tidy/wrong, in a process of its own (see lint-wrong.mjs). */
function lintWrongExamples(): Report {
  const script = path.join(__dirname, 'lint-wrong.mjs');
  const output = execFileSync(process.execPath, [script], {
    encoding: 'utf8',
    timeout: lintTimeoutMs,
    maxBuffer: 10_000_000,
  });
  return JSON.parse(output) as Report;
}

describe('lint', () => {
  let report: Report;
  beforeAll(() => {
    report = lintWrongExamples();
  }, lintTimeoutMs);

  it('refuses each wrong example by exactly the rule that the example names', () => {
    const wrong = report.results.filter(({ bites }) => bites !== 'nothing');
    expect(wrong.length).toBeGreaterThan(30);
    expect(wrong.map(({ name, found }) => ({ name, found }))).toEqual(
      wrong.map(({ name, bites }) => ({ name, found: [bites] })),
    );
  });

  it('passes the examples that use a way left open', () => {
    const right = report.results.filter(({ bites }) => bites === 'nothing');
    expect(right.length).toBeGreaterThan(3);
    expect(right.filter(({ found, linted }) => found.length > 0 || !linted)).toEqual([]);
  });

  it('has a wrong example for every house rule', () => {
    const bitten = new Set(report.results.map(({ bites }) => bites));
    const houseRules = [
      '@nx/enforce-module-boundaries',
      '@typescript-eslint/no-restricted-imports',
      '@typescript-eslint/no-explicit-any',
      '@typescript-eslint/no-non-null-assertion',
      'import-x/no-cycle',
      'max-lines',
      'max-lines-per-function',
      'no-console',
      'no-restricted-globals',
      'no-restricted-syntax',
      'offizin/feature-imports',
      'react-hooks/rules-of-hooks',
    ];
    expect(houseRules.filter((rule) => !bitten.has(rule))).toEqual([]);
  });

  it('sees every import by alias as an edge of the project graph', () => {
    expect(report.unknownImports).toEqual([]);
    expect(report.knownImports).toBeGreaterThan(0);
  });
});
