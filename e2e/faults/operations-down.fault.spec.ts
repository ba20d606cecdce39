import { connectorOperations, organizationOperations } from '@offizin/contracts/operations';
import type { AppName, AppProcess } from '@offizin/local-stack/apps';
import { codeOf } from '@offizin/testkit/error-code';
import { eventually } from '@offizin/testkit/eventually';
import { callOperation } from '@offizin/testkit/operation-call';
import type { Ids } from '@offizin/testkit/operation-rows';
import type { TestOrganization } from '@offizin/testkit/organization';
import { unknownThings } from '@offizin/testkit/organization-things';
import type { OwnStack } from '@offizin/testkit/own-stack';

/** The service behind is not there: every operation says so within its bound. */
export function operationsDown(faultStack: () => OwnStack): void {
  const all = [...organizationOperations, ...connectorOperations];
  const SERVICES: AppName[] = ['order-core', 'catalog', 'webhook-worker'];
  /** Source: docs/contract.md#errors (10 s), guarantee G10 (5 s and 1 s); a second more for the call itself. */
  const SILENT_MS = { gateway: 11_000, connector: 6_000 };
  const GONE_MS = 1_000;

  let own: OwnStack;
  let organization: TestOrganization;
  const ids: Ids = unknownThings();

  beforeAll(async () => {
    own = faultStack();
    organization = await own.platform.organization();
  }, 90_000);

  function processes(): AppProcess[] {
    return SERVICES.map((name) => own.stack.apps[name]);
  }

  it('walks operations of every service', () => {
    expect([...new Set(all.map(({ service }) => service))].sort()).toEqual([...SERVICES].sort());
  });

  it('the services hang: 504 on the organization API, 502 on shop domains, each in time', async () => {
    for (const app of processes()) app.kill('SIGSTOP');
    try {
      const answers = await Promise.all(
        all.map(async (op) => ({ op, answer: await callOperation(op, organization, { ids }) })),
      );
      for (const { op, answer } of answers) {
        const connector = op.access === 'connector';
        const code = connector ? '502 core_unreachable' : '504 timeout';
        expect({ op: op.name, code: codeOf(answer) }).toEqual({ op: op.name, code });
        expect(answer.durationMs).toBeLessThan(connector ? SILENT_MS.connector : SILENT_MS.gateway);
      }
    } finally {
      for (const app of processes()) app.kill('SIGCONT');
    }
  }, 60_000);

  describe('the services are gone', () => {
    const allAnswer = async (expected: number) => {
      const paths = ['/orders', '/shops', '/webhooks'];
      const answers = await Promise.all(paths.map((path) => organization.api('GET', path)));
      return answers.every(({ status }) => status === expected);
    };

    beforeAll(async () => {
      await eventually('the services to answer again', () => allAnswer(200));
      for (const app of processes()) app.kill('SIGKILL');
      for (const app of processes()) expect(await app.exited(5_000)).toBe(true);
      // On a busy machine the broker may notice later than this process that their connections are closed.
      await eventually('the broker to notice', () => allAnswer(503), 30_000);
    }, 60_000);
    afterAll(async () => {
      for (const app of processes()) await app.start();
      for (const app of processes()) await app.ready();
    }, 90_000);

    it.each(organizationOperations.map((op) => [op.name, op] as const))('%s is a 503', async (_, op) => {
      const answer = await callOperation(op, organization, { ids });
      expect(codeOf(answer)).toBe('503 service_unavailable');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.durationMs).toBeLessThan(GONE_MS);
    });

    it.each(connectorOperations.map((op) => [op.name, op] as const))('%s is a 502', async (_, op) => {
      const answer = await callOperation(op, organization, { ids });
      expect(codeOf(answer)).toBe('502 core_unreachable');
      expect(answer.durationMs).toBeLessThan(GONE_MS);
    });

    it('the gateway still knows who may call', async () => {
      for (const op of all) {
        const answer = await callOperation(op, organization, { ids, credential: null });
        expect({ op: op.name, code: codeOf(answer) }).toEqual({ op: op.name, code: '401 unauthorized' });
      }
    });
  });
}
