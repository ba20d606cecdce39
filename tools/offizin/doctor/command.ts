import type { Command } from 'commander';
import type { Output } from '../output';
import { examine } from './doctor';
import { type Finding, lineOf } from './finding';

/** `folder`: the data folder of the local stack. */
export function addDoctorCommand(program: Command, folder: () => string, output: Output): void {
  program
    .command('doctor')
    .description('look at configuration, processes, databases, broker, clocks and disk; say what to do')
    .option('--configuration <app=file...>', "an app's environment file to check", [])
    .action(async ({ configuration }: { configuration: string[] }) => {
      const asked = { dataDir: folder(), environmentFiles: configuration };
      const findings = await examine(asked, (finding) => {
        if (!output.isJsonAsked) console.log(lineOf(finding));
      });
      const count = (outcome: Finding['outcome']) => findings.filter((one) => one.outcome === outcome).length;
      const [well, warnings, problems] = [count('ok'), count('warning'), count('problem')];
      const skipped = count('skipped');
      output.sentence(`\n${well} well, ${warnings} warnings, ${problems} problems, ${skipped} skipped`, {
        well,
        warnings,
        problems,
        skipped,
        findings,
      });
      if (problems > 0) process.exitCode = 1;
    });
}
