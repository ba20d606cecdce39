/**
 * Reads examples as JSON, each `{ file, text }`, and prints as JSON which rules each one met. A file need not exist.
 *
 * It prints as well the imports by alias that the project graph does not know: a graph without edges sees no cycle.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { readCachedProjectGraph } from '@nx/devkit';
import { ESLint } from 'eslint';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);

const examples = JSON.parse(readFileSync(process.stdin.fd, 'utf8'));
const virtual = examples.map(({ file }) => file).filter((file) => !existsSync(file));
const eslint = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ['**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        // No tsconfig names a file that does not exist.
        projectService: {
          allowDefaultProject: [...new Set(virtual)],
          defaultProject: 'tsconfig.json',
          maximumDefaultProjectFileMatchCount_THIS_WILL_SLOW_DOWN_LINTING: 200,
        },
      },
    },
  },
});

const found = [];
for (const { file, text } of examples) {
  const [report] = await eslint.lintText(text, { filePath: file });
  const messages = report?.messages ?? [{ message: `${file} is ignored` }];
  const rules = messages.map(
    ({ ruleId, message }) =>
      ruleId ?? (message.startsWith('Unused eslint-disable') ? 'unused-directive' : message),
  );
  found.push([...new Set(rules)].sort());
}
process.stdout.write(JSON.stringify({ found, ...compareGraph() }));

/** Imports by alias as they are in the sources, against the edges of the graph that this lint run has made. */
function compareGraph() {
  const { dependencies, nodes } = readCachedProjectGraph();
  const unknownImports = [];
  let knownImports = 0;
  const roots = Object.values(nodes).map((node) => node.data.root);
  for (const [name, { data }] of Object.entries(nodes)) {
    const edges = new Set((dependencies[name] ?? []).map((edge) => edge.target));
    const within = roots.filter((other) => other.startsWith(`${data.root}/`));
    for (const file of readdirSync(data.root, { recursive: true })) {
      const place = path.join(data.root, file);
      // A project may be within another one: verification/kit.
      if (!/\.tsx?$/.test(file) || within.some((other) => place.startsWith(`${other}/`))) continue;
      const text = readFileSync(place, 'utf8');
      for (const [, library] of text.matchAll(/^(?:import|export|\}).* from '@offizin\/([^/]+)\//gm)) {
        if (library === name) continue;
        if (edges.has(library)) knownImports += 1;
        else unknownImports.push(`${place} imports ${library}`);
      }
    }
  }
  return { knownImports, unknownImports };
}
