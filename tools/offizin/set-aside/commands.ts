import type { Command } from 'commander';
import type { Installation } from '../doctor/installation';
import type { Output } from '../output';
import { dropSetAside, giveBackSetAside, listSetAside, showSetAside } from './set-aside';

const COLUMNS = ['service', 'id', 'kind', 'subject', 'bytes', 'reason', 'set_aside_at'];

/** `offizin set-aside …` */
export function addSetAsideCommands(
  program: Command,
  installation: () => Installation,
  output: Output,
): void {
  const command = program
    .command('set-aside')
    .description('messages and outbox rows that a service could not take or send');
  command
    .command('list', { isDefault: true })
    .description('print one line of JSON for each, the newest 200 of each service')
    .action(async () => {
      output.lines(await listSetAside(installation()), COLUMNS);
    });
  command
    .command('show')
    .description('write the bytes of one to the standard output')
    .argument('<id>')
    .action(async (id: string) => {
      const bytes = await showSetAside(installation(), id);
      if (output.isJsonAsked) output.answer({ id, base64: bytes.toString('base64') });
      else process.stdout.write(bytes);
    });
  command
    .command('give-back')
    .description('publish messages again, append outbox rows again; what is still refused is set aside again')
    .argument('<id...>')
    .action(async (ids: string[]) => {
      const report = await giveBackSetAside(installation(), ids);
      output.answer(report);
      if (report.unknown.length > 0) process.exitCode = 2;
    });
  command
    .command('drop')
    .description('delete one for good')
    .argument('<id>')
    .action(async (id: string) => {
      const report = await dropSetAside(installation(), id);
      output.sentence(JSON.stringify(report), report);
    });
}
