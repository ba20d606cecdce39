/**
 * Lints the wrong examples in tools/tidy/wrong and prints, as JSON, which rules each one met. Run by lint-bites.spec.ts as
 * a process of its own, because ESLint loads its configuration by `import()`, which Jest's sandbox refuses.
 *
 * The head of an example says where it pretends to stand (`// as: libs/contracts/wrong-example.ts`; without it, where
 * it is) and which rule must refuse it (`// bites: no-console`, or `nothing` for an example that must pass).
 *
 * It prints as well the imports by alias that the project graph does not know: a graph without edges sees no cycle.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { readCachedProjectGraph } from '@nx/devkit';
import { ESLint } from 'eslint';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);

const folder = 'tools/tidy/wrong';
const examples = readdirSync(folder)
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const stated = (key) => new RegExp(`^// ${key}: (.+)$`, 'm').exec(text)?.[1];
    return { name, text, as: stated('as') ?? path.join(folder, name), bites: stated('bites') };
  });

const eslint = new ESLint({
  cwd: root,
  ignore: false, // tools/tidy/wrong is hidden from every other run
  overrideConfig: {
    files: ['**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        // The files do not exist where they pretend to stand, so no tsconfig names them.
        projectService: {
          allowDefaultProject: [...new Set(examples.map((example) => example.as))],
          defaultProject: 'tsconfig.json',
          maximumDefaultProjectFileMatchCount_THIS_WILL_SLOW_DOWN_LINTING: 200,
        },
      },
    },
  },
});

const results = [];
for (const { name, text, as, bites } of examples) {
  const [report] = await eslint.lintText(text, { filePath: as });
  const found = (report?.messages ?? []).map(
    ({ ruleId, message }) =>
      ruleId ?? (message.startsWith('Unused eslint-disable') ? 'unused-directive' : message),
  );
  results.push({ name, as, bites, found: [...new Set(found)].sort(), linted: report !== undefined });
}
process.stdout.write(JSON.stringify({ results, ...compareGraph() }));

/** Imports by alias as they stand in the sources, against the edges of the graph that this lint run has made. */
function compareGraph() {
  const { dependencies, nodes } = readCachedProjectGraph();
  const unknownImports = [];
  let knownImports = 0;
  for (const [name, node] of Object.entries(nodes)) {
    const edges = new Set((dependencies[name] ?? []).map((edge) => edge.target));
    for (const file of readdirSync(node.data.root, { recursive: true })) {
      if (!/\.tsx?$/.test(file) || file.startsWith('tidy/wrong')) continue;
      const text = readFileSync(path.join(node.data.root, file), 'utf8');
      for (const [, library] of text.matchAll(/^(?:import|export|\}).* from '@offizin\/([^/]+)\//gm)) {
        if (library === name) continue;
        if (edges.has(library)) knownImports += 1;
        else unknownImports.push(`${node.data.root}/${file} imports ${library}`);
      }
    }
  }
  return { knownImports, unknownImports };
}
