import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkoutRoot } from '@offizin/local-stack/checkout';

export const CLIENT_TYPES = 'clients/typescript/src/generated/api.d.ts';

/** Types of an OpenAPI description. The generator is an ES module with a command line; the latter is its stable side. */
export function generatedTypes(yaml: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-openapi-'));
  try {
    const [input, output] = [join(folder, 'api.yaml'), join(folder, 'api.d.ts')];
    writeFileSync(input, stringify(withoutExamples(parse(yaml))));
    const program = join(checkoutRoot, 'node_modules/openapi-typescript/bin/cli.js');
    const run = spawnSync(process.execPath, [program, input, '--default-non-nullable=false', '-o', output], {
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(`openapi-typescript failed: ${run.stderr}`);
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without the examples of bodies: the types say what they show, and they would be a sixth of the client's package. */
function withoutExamples(within: unknown, isNames = false): unknown {
  if (Array.isArray(within)) return within.map((one) => withoutExamples(one));
  if (typeof within !== 'object' || within === null) return within;
  const kept = Object.entries(within).filter(([key]) => isNames || key !== 'example');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutExamples(value, key === 'properties')]));
}
