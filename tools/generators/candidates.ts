import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { end, lastLine, startProgram, type ToolRun } from '../up/own-demo';

/** A tool that integrators use, and what is done with it. */
export interface Candidate {
  /** Its package. */
  name: string;
  /** One after the other, in the integrator's project. The last line of the last one is the result. */
  steps: readonly Step[];
}

interface Step {
  name: string;
  /** A program and its arguments. A program without a folder is a command of a package. */
  command: readonly [string, ...string[]];
}

export interface Outcome {
  name: string;
  version: string;
  result: string;
  isFine: boolean;
}

const DESCRIPTION = 'description.yaml';

/** Redocly and openapi-typescript have their tests in `npm test`, too (tools/openapi). */
export const candidates: readonly Candidate[] = [
  {
    name: '@stoplight/spectral-cli',
    steps: [
      {
        name: 'lint',
        command: ['spectral', 'lint', DESCRIPTION, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'],
      },
    ],
  },
  generator('@hey-api/openapi-ts', 'hey-api', [
    'openapi-ts',
    '--input',
    DESCRIPTION,
    '--output',
    'hey-api/generated',
  ]),
  generator('orval', 'orval', ['orval', '--config', 'orval/orval.config.mjs']),
  generator('openapi-typescript', 'openapi-typescript', [
    'openapi-typescript',
    DESCRIPTION,
    // Else a field with a default would have to be sent.
    '--default-non-nullable=false',
    '--output',
    'openapi-typescript/generated.d.ts',
  ]),
  {
    name: 'openapi-to-postmanv2',
    steps: [
      {
        name: 'convert',
        command: [
          'openapi2postmanv2',
          '-s',
          DESCRIPTION,
          '-o',
          'collection.json',
          '-p',
          '-c',
          'postman.json',
        ],
      },
      { name: 'send', command: ['./postman.mjs'] },
    ],
  },
];

/** Generates a client, compiles it with a program over it, and runs that. */
function generator(name: string, folder: string, command: Step['command']): Candidate {
  const steps: Step[] = [
    { name: 'generate', command },
    { name: 'compile', command: ['tsc', '-p', folder] },
    { name: 'call', command: [`./built/${folder}/calls.js`] },
  ];
  return { name, steps };
}

export async function tried({ name, steps }: Candidate, run: ToolRun): Promise<Outcome> {
  const version = versionOf(name, run);
  let result = '';
  for (const step of steps) {
    const log = `${name.replaceAll(/[^a-z0-9]+/g, '-')}-${step.name}.log`;
    const [program, ...args] = step.command;
    const file = program.includes('/') ? program : join('node_modules', '.bin', program);
    const path = join(dirname(run.folder), log);
    const code = await end(startProgram(run, [file, ...args], path, run.folder));
    result = lastLine(path);
    if (code !== 0) return { name, version, result: `${step.name}: ${result} (${log})`, isFine: false };
  }
  return { name, version, result, isFine: true };
}

function versionOf(name: string, { folder }: ToolRun): string {
  const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
