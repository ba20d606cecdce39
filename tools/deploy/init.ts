import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { readConfig, UrlSetting } from '@offizin/runtime/config';
import { initialize, type InitOptions } from './installation-volumes';
import { addRotateCommand } from './secrets-folder';

/** The setting whose mistake would otherwise show in a service that starts again and again. */
class InitConfig {
  @UrlSetting('PUBLIC_BASE_URL', { protocols: ['http:', 'https:'], description: 'that of the gateway' })
  readonly publicBaseUrl!: string;
}

const program = new Command('init')
  .description('Writes what is missing into the volumes of docker-compose.yml.')
  .option('--take <folder>', 'take missing secrets from this folder: of a backup, or of an earlier version')
  .option('--set <name>', 'give this secret the value on the standard input')
  .action(({ set: name, ...options }: Omit<InitOptions, 'set'> & { set?: string }) => {
    initializeWith(() => ({
      ...options,
      set: name === undefined ? {} : { [name]: readFileSync(0, 'utf8').trim() },
    }));
  });
program
  .command('undo')
  .description('Goes back to the secrets before the last change of them.')
  .action(() => initializeWith(() => ({ undo: true })));
addRotateCommand(program, (rotate) => initializeWith(() => ({ rotate })));
program.parse();

function initializeWith(options: () => InitOptions): void {
  try {
    readConfig(InitConfig, process.env);
    for (const line of initialize('/volumes', options())) console.log(line);
  } catch (error) {
    program.error(error instanceof Error ? error.message : String(error));
  }
}
