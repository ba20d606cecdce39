import { checkBrokerCertificates } from './broker-certificate';
import { checkBroker } from './broker-check';
import { checkCertificate } from './certificate-check';
import { checkClocks } from './clock-check';
import { checkEnvironmentFile, checkSecretsFile } from './configuration-check';
import { checkDatabase, checkStandby } from './database-check';
import { checkDisk } from './disk-check';
import { type Finding, ok, problem, skipped } from './finding';
import {
  type Installation,
  installationFrom,
  installationVariables,
  localInstallation,
} from './installation';
import { checkProcess } from './process-check';
import { checkDocumentStore } from './store-check';

/**
 * `npm run offizin -- doctor`: checks an installation and gives advice for each problem. It only reads, except for a
 * temporary stream at the broker and an object in the document store.
 */
export interface DoctorOptions {
  dataDir: string;
  /** `<app>=<file>` each. */
  environmentFiles: string[];
}

/** All findings; `tell` hears of each as soon as it is made. */
export async function examine(options: DoctorOptions, tell: (finding: Finding) => void): Promise<Finding[]> {
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

/** All at once, reported in this order. */
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
    checkCertificate(installation.gatewayUrl).then((finding) => [finding]),
    ...folders.map(async (folder) => [await checkDisk(folder)]),
  ];
}
