import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { appNames, type AppName } from '@offizin/local-stack/apps';
import { readOrCreateSecrets } from '@offizin/local-stack/secrets';
import { lackingPairs } from '@offizin/runtime/call-keys';
import { readConfig } from '@offizin/runtime/config';
import type { ProcessConfig } from '@offizin/runtime/process-config';
import { appConfigs } from '../../docs/app-settings';
import { type Finding, ok, problem, warning } from './finding';

const OTHERS_MASK = 0o077;

/** The environment file of one app, given as `<app>=<file>`, read the way the app reads its environment. */
export function checkEnvironmentFile(text: string): Finding {
  const [app = '', file = ''] = text.split('=', 2);
  const name = appNames.find((known) => known === app);
  if (!name)
    return problem(`configuration ${text}`, 'names no app', `Write <app>=<file>: ${appNames.join(', ')}.`);
  if (!existsSync(file))
    return problem(`configuration of ${name}`, `there is no file ${file}`, 'Check the path.');
  return configurationFinding(name, parseEnv(readFileSync(file, 'utf8')));
}

export function configurationFinding(app: AppName, environment: NodeJS.Dict<string>): Finding {
  try {
    const { callKeys } = readConfig<ProcessConfig>(appConfigs[app], environment);
    const lacking = lackingPairs(app, callKeys);
    if (lacking.length > 0)
      return problem(
        `configuration of ${app}`,
        `CALL_KEYS lacks ${lacking.join(', ')}`,
        `Take the file that \`node tools/bootstrap.mjs deploy\` wrote for ${app}.`,
      );
    return ok(`configuration of ${app}`, 'complete and valid');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return problem(
      `configuration of ${app}`,
      reason,
      'docs/operate/configuration.md describes what each variable means.',
    );
  }
}

/** The secrets of a local stack: there, complete, and only for their owner. */
export function checkSecretsFile(dataDir: string): Finding {
  const of = 'secrets of the local stack';
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file))
    return problem(of, `${file} is missing`, 'The first npm start makes it; or restore it from the backup.');
  try {
    readOrCreateSecrets(dataDir);
  } catch (error) {
    return problem(of, error instanceof Error ? error.message : String(error), 'Restore it from the backup.');
  }
  if ((statSync(file).mode & OTHERS_MASK) !== 0)
    return warning(of, 'other users of this machine may read it', `chmod 600 ${file}`);
  return ok(of, 'complete, and only for their owner');
}
