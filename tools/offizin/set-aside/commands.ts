import type { Command } from 'commander';
import type { Installation } from '../doctor/installation';
import { dropSetAside, giveBackSetAside, listSetAside, showSetAside } from './set-aside';

/** `offizin set-aside …` */
export function addSetAsideCommands(program: Command, installation: () => Installation): void {
  const command = program
    .command('set-aside')
    .description('messages and outbox rows that a service could not take or send');
  command
    .command('list', { isDefault: true })
    .description('print one line of JSON for each, the newest 200 of each service')
    .action(async () => {
      for (const entry of await listSetAside(installation())) console.log(JSON.stringify(entry));
    });
  command
    .command('show')
    .description('write the bytes of one to the standard output')
    .argument('<id>')
    .action(async (id: string) => {
      process.stdout.write(await showSetAside(installation(), id));
    });
  command
    .command('give-back')
    .description('publish messages again, append outbox rows again; what is still refused is set aside again')
    .argument('<id...>')
    .action(async (ids: string[]) => {
      const report = await giveBackSetAside(installation(), ids);
      console.log(JSON.stringify(report, null, 2));
      if (report.unknown.length > 0) process.exitCode = 2;
    });
  command
    .command('drop')
    .description('delete one for good')
    .argument('<id>')
    .action(async (id: string) => {
      console.log(JSON.stringify(await dropSetAside(installation(), id)));
    });
}
