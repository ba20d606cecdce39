import '@offizin/runtime/stop-during-start';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { databaseServices } from '@offizin/local-stack/secrets';

/**
 * What the image runs, by its arguments: an app, `migrate` and a service, or `operator` and a command of it; for Compose
 * also `init` and `demo`. The program reads its own arguments afterwards, as if it had been started by itself.
 */
const USAGE = `offizin: say what to run: ${appNames.join(', ')}, migrate <${databaseServices.join('|')}>, or operator <command>`;

const [what = '', ...further] = process.argv.slice(2);

const TOOLS: Record<string, string> = {
  operator: 'tools/offizin/main.js',
  init: 'tools/deploy/init.js',
  demo: 'tools/demo/compose.js',
};

const tool = Object.hasOwn(TOOLS, what) ? TOOLS[what] : undefined;
if (tool !== undefined) run(tool, further);
else if (appNames.some((app) => app === what) && further.length === 0) run(`apps/${what}/main.js`, []);
else if (what === 'migrate' && databaseServices.some((service) => service === further.join(' ')))
  run(`apps/${further.join('')}/main.js`, ['migrate']);
else {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
}

function run(program: string, further: readonly string[]): void {
  const main = join(__dirname, '..', '..', program);
  process.argv.splice(1, Infinity, main, ...further);
  void import(main);
}
