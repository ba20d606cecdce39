import '@offizin/runtime/stop-during-start';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { databaseServices } from '@offizin/local-stack/secrets';

/**
 * What the image runs, by its arguments: an app, `migrate` and a service, or `operator` and a command of it. The program
 * reads its own arguments afterwards, as if it had been started by itself.
 */
const USAGE = `offizin: say what to run: ${appNames.join(', ')}, migrate <${databaseServices.join('|')}>, or operator <command>`;

const [what = '', ...further] = process.argv.slice(2);

if (what === 'operator') run('tools/offizin', further);
else if (appNames.some((app) => app === what) && further.length === 0) run(`apps/${what}`, []);
else if (what === 'migrate' && databaseServices.some((service) => service === further.join(' ')))
  run(`apps/${further.join('')}`, ['migrate']);
else {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
}

function run(folder: string, further: readonly string[]): void {
  const main = join(__dirname, '..', '..', folder, 'main.js');
  process.argv.splice(1, Infinity, main, ...further);
  void import(main);
}
