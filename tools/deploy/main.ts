import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { environmentText, newEnvironment } from './environment-file';

/**
 * `node tools/bootstrap.mjs deploy`: writes deploy/compose.env with new secrets, for docker-compose.yml. Never over an
 * existing one: data that was written under its keys could not be read any more.
 */
const file = join(checkoutRoot, 'deploy', 'compose.env');
try {
  writeFileSync(file, environmentText(newEnvironment()), { mode: 0o600, flag: 'wx' });
  console.log(`written: ${file}`);
} catch (error) {
  const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
  console.error(exists ? `${file} is there already; it is left as it is.` : String(error));
  process.exitCode = 1;
}
