import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { DOCUMENT_SERVER_CERTIFICATE } from '@offizin/testkit/document-server';
import { type OwnStack, SHORT_WAITS, startOwnStack } from '@offizin/testkit/own-stack';
import { callsInFlight, operationsDown } from './calls-in-flight.fault.spec';
import { killedKeys } from './killed-keys.fault.spec';
import { outage } from './outage.fault.spec';
import { secrecy } from './secrecy.fault.spec';

/** One stack on which processes are paused, killed and lost. Each part leaves it ready for the next one. */
let own: OwnStack;
const folder = mkdtempSync(join(tmpdir(), 'offizin-fault-stack-'));

beforeAll(async () => {
  const NODE_EXTRA_CA_CERTS = join(folder, 'document-server.pem');
  writeFileSync(NODE_EXTRA_CA_CERTS, DOCUMENT_SERVER_CERTIFICATE);
  // Every line that there is, whatever the level of the test run: a part searches the logs.
  const environments = appNames.map((app) => [
    app,
    { ...SHORT_WAITS[app], LOG_LEVEL: 'trace', NODE_EXTRA_CA_CERTS },
  ]);
  own = await startOwnStack(Object.fromEntries(environments));
}, 90_000);
afterAll(async () => {
  await own.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe.each([
  // The first part searches all that the stack has stored so far.
  ['secrecy', secrecy],
  ['outage', outage],
  ['calls in flight', callsInFlight],
  ['killed keys', killedKeys],
  ['operations down', operationsDown],
] as const)('%s', (name, part) => {
  part(() => own);
  // The hooks of the part run before.
  afterAll(() => expectReady(name), 90_000);
});

/** A part that does not leave the stack ready would fail the tests of the next one. */
async function expectReady(part: string): Promise<void> {
  const { apps, replicas } = own.stack;
  for (const app of [...Object.values(apps), ...replicas.filter(({ pid }) => pid !== undefined)])
    await app.ready(30_000).catch((error: unknown) => {
      throw new Error(`"${part}" left the stack without ${app.name}: start it in an afterAll of that part`, {
        cause: error,
      });
    });
}
