import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { LINE, REFERENCE, SHOP_ID } from '@offizin/openapi/examples/example';
import { STOCKED_AT_ONCE } from '../demo/stock';
import type { DemoFile } from '../up/demo-file';
import type { ToolRun } from '../up/own-demo';

const SOURCE = join(checkoutRoot, 'tools', 'generators', 'integrator');

/**
 * A fresh copy of the integrator's project, below the folder of the run. Its packages are installed when package.json has
 * changed; no script of them runs (.npmrc). Answers the run of its programs.
 */
export function installed(run: ToolRun): ToolRun {
  const folder = join(run.folder, 'integrator');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder))
    if (name !== 'node_modules') rmSync(join(folder, name), { recursive: true });
  cpSync(SOURCE, folder, { recursive: true });
  install({ ...run, folder });
  return { ...run, folder };
}

function install({ folder, environment }: ToolRun): void {
  const wanted = readFileSync(join(folder, 'package.json'), 'utf8');
  const mark = join(folder, 'node_modules', '.installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  const env = { ...process.env, ...environment };
  const { status, stderr } = spawnSync('npm', ['install'], { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm install failed in ${folder}: ${stderr}`);
  writeFileSync(mark, wanted);
}

/** What an integrator is given: addresses, keys and ids, as variables of the programs. */
export function variablesOf({ base_url, organizations: [organization] }: DemoFile): Record<string, string> {
  const shop = organization?.shops[0];
  const [product] = STOCKED_AT_ONCE;
  if (!organization || !shop || !product)
    throw new Error('The demo lacks an organization, a shop or a product.');
  const reference = randomUUID();
  return {
    OFFIZIN_URL: base_url,
    OFFIZIN_SHOP_URL: shop.shop_url,
    OFFIZIN_API_KEY: organization.api_key,
    OFFIZIN_INTEGRATION_KEY: organization.integration_key,
    OFFIZIN_ORG_ID: organization.org_id,
    OFFIZIN_SHOP_ID: shop.shop_id,
    OFFIZIN_P1_ID: product,
    OFFIZIN_REFERENCE: reference,
    OFFIZIN_IN_EXAMPLES: JSON.stringify({
      [SHOP_ID]: shop.shop_id,
      [LINE.p1_id]: product,
      [REFERENCE]: reference,
    }),
  };
}
