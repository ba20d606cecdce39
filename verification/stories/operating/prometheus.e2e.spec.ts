import { readFileSync } from 'node:fs';
import { appNames } from '@offizin/local-stack/apps';
import { describeWithout } from '@offizin/testkit/programs';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { type GatewayProcess, startGateway } from '@offizin/testkit/gateway-process';
import { http } from '@offizin/testkit/http';
import { alertRules, alertRulesFile, panelQueries } from '@offizin/testkit/observability-files';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';
import { Prometheus, prometheusProblem } from '@offizin/testkit/prometheus';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { workForEveryProcess } from '@offizin/testkit/organization-things';

/** Queries without an answer where nothing goes wrong, by a part of them. */
const QUIET: Record<string, string> = {
  'status=~"5.."': 'no call fails',
  offizin_unreachable_calls_total: 'every service answers',
  offizin_rate_limited_requests_total: 'nobody exceeds a limit',
  offizin_periodic_work_failures_total: 'no background work fails',
  offizin_bus_replies_too_large_total: 'shown only above 0',
};
const isQuiet = (query: string): boolean => Object.keys(QUIET).some((part) => query.includes(part));

describeWithout(prometheusProblem, 'a Prometheus that scrapes the stack', scrapedByPrometheus);

function scrapedByPrometheus(): void {
  let platform: TestPlatform;
  let organization: TestOrganization;
  let receiver: WebhookReceiver;
  /** In place of the shared gateway: this one may die. */
  let gateway: GatewayProcess;
  let prometheus: Prometheus;
  /** Also what a failed start has begun. */
  const begun: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    platform = await TestPlatform.connect();
    begun.push(() => platform.close());
    organization = await platform.organization();
    receiver = await WebhookReceiver.start();
    begun.push(() => receiver.close());
    gateway = await startGateway({});
    begun.push(() => gateway.stop());
    const urls = { ...testEnvironment().managementUrls, gateway: gateway.app.managementUrl };
    // An alert waits for minutes; here it waits for a second.
    const rules = readFileSync(alertRulesFile, 'utf8').replace(/^( +for:) \w+$/gm, '$1 1s');
    prometheus = await Prometheus.start({ targets: Object.values(urls), rules });
    begun.push(() => prometheus.stop());
  }, 300_000);
  afterAll(async () => {
    for (const end of begun.reverse()) await end();
  }, 60_000);

  const stateOf = async (alert: string) =>
    (await prometheus.rules()).find(({ name }) => name === alert)?.state;

  it('has data for every query of every dashboard', async () => {
    await workForEveryProcess(platform, organization, receiver);
    await organization.connector({ method: 'GET' });
    await http(`${gateway.url}/no/such`);
    const seriesOf = async (query: string): Promise<number> => {
      const variants = query.includes('$app')
        ? appNames.map((app) => query.replaceAll('$app', app))
        : [query];
      const counts = await Promise.all(variants.map((variant) => prometheus.seriesOf(variant)));
      return counts.reduce((sum, count) => sum + count);
    };
    let without: string[] = [];
    const allAnswer = async () => {
      const counts = await Promise.all(panelQueries().map(([, query]) => seriesOf(query)));
      const empty = panelQueries().filter(([, query], index) => counts[index] === 0 && !isQuiet(query));
      without = empty.map(([name, query]) => `${name}: ${query}`);
      return without.length === 0;
    };
    await eventually('data', allAnswer, 40_000).catch(() => expect(without).toEqual([]));
    const queries = panelQueries().map(([, query]) => query);
    expect(Object.keys(QUIET).filter((part) => !queries.some((query) => query.includes(part)))).toEqual([]);
  });

  it('evaluates every alert without an error', async () => {
    const names = alertRules()
      .map(({ alert }) => alert)
      .sort();
    const rules = await eventually('an evaluation of each', async () => {
      const loaded = await prometheus.rules();
      return loaded.every(({ health }) => health !== 'unknown') && loaded;
    });
    expect(rules.map(({ name }) => name).sort()).toEqual(names);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });

  it('states that a process is missing, until it is there again', async () => {
    const isSilent = async () => (await stateOf('ProcessMissing')) === 'inactive';
    const fires = async () => (await stateOf('ProcessMissing')) === 'firing';
    await eventually('no alert', isSilent);
    await gateway.app.stop();
    await eventually('the alert', fires);
    await gateway.app.start();
    await gateway.app.ready();
    await eventually('the end of the alert', isSilent);
  });
}
