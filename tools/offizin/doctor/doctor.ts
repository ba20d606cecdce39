import type { Command } from 'commander';
import type { Output } from '../output';
import { checkBroker } from './broker-check';
import { checkBrokerCertificates, checkCertificate } from './certificate-check';
import { checkEnvironmentFile, checkSecretsFile } from './configuration-check';
import { checkDatabase, checkStandby } from './database-check';
import { type Finding, lineOf, ok, problem, skipped } from './finding';
import {
  type Installation,
  installationFrom,
  installationVariables,
  localInstallation,
} from './installation';
import { checkClocks, checkDisk, checkProcess, checkPublicAddress } from './machine-check';
import { checkDocumentStore } from './store-check';

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
      const found = `${counted(warnings, 'warning')}, ${counted(problems, 'problem')}`;
      output.sentence(`\n${well} well, ${found}, ${skipped} skipped`, {
        well,
        warnings,
        problems,
        skipped,
        findings,
      });
      if (problems > 0) process.exitCode = 1;
    });
}

/**
 * `npm run offizin -- doctor`: checks an installation and gives advice for each problem. It only reads, except for a
 * temporary stream at the broker and an object in the document store.
 */
interface DoctorOptions {
  dataDir: string;
  /** `<app>=<file>` each. */
  environmentFiles: string[];
}

/** All findings; `tell` is called with each as soon as it is made. */
async function examine(options: DoctorOptions, tell: (finding: Finding) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  const note = (...found: Finding[]) => {
    findings.push(...found);
    for (const finding of found) tell(finding);
  };
  note(ok('Node.js', process.versions.node), ...options.environmentFiles.map(checkEnvironmentFile));
  const installation = find(options, note);
  if (installation) {
    for (const look of looksAt(installation)) note(...(await look));
  }
  return findings;
}

/** From the environment when it names a broker or a database, else the local stack. Null after a noted problem. */
function find({ dataDir }: DoctorOptions, note: (...found: Finding[]) => void): Installation | null {
  try {
    const named = installationFrom(process.env);
    if (named.broker || named.databases.length > 0) return named;
    note(checkSecretsFile(dataDir));
    return localInstallation(dataDir, process.env);
  } catch (error) {
    const advice = `For an installation elsewhere set ${installationVariables().join(', ')}.`;
    note(problem('installation', error instanceof Error ? error.message : String(error), advice));
    return null;
  }
}

/** All run concurrently and are reported in this order. */
function looksAt(installation: Installation): Promise<Finding[]>[] {
  const { broker, databases, processes, folders } = installation;
  return [
    ...processes.map(async (one) => [await checkProcess(one)]),
    ...(processes.length === 0
      ? [Promise.resolve([skipped('processes', 'MANAGEMENT_URLS is not set')])]
      : []),
    ...databases.flatMap((database) => [checkDatabase(database), checkStandby(database)]),
    ...(broker
      ? [checkBroker(broker), checkBrokerCertificates(broker)]
      : [Promise.resolve([skipped('broker', 'NATS_URL is not set')])]),
    checkDocumentStore(installation.documentStore).then((finding) => [finding]),
    checkClocks(installation),
    checkPublicAddress(installation.gatewayUrl).then((finding) => [finding]),
    checkCertificate(installation.gatewayUrl).then((finding) => [finding]),
    ...folders.map(async (folder) => [await checkDisk(folder)]),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
