import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { http } from '@offizin/testkit/http';
import { alertRules } from '@offizin/testkit/observability-files';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { workForEveryProcess } from '@offizin/testkit/organization-things';

const { managementUrls } = testEnvironment();
const platform = usePlatform();
let organization: TestOrganization;
let receiver: WebhookReceiver;

beforeAll(async () => {
  organization = await platform.organization();
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await receiver.close();
});

interface Sample {
  metric: string;
  labels: Record<string, string>;
  value: number;
}

interface Metrics {
  /** counter, gauge, histogram or summary, by the name of the family. */
  types: Map<string, string>;
  samples: Sample[];
}

async function metricsOf(app: keyof typeof managementUrls): Promise<Metrics> {
  const answer = await http(`${managementUrls[app]}/metrics`);
  expect(answer.status).toBe(200);
  const text = answer.body.toString();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
    ([, name = '', type = '']) => [name, type] as const,
  );
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, metric = '', labels = '', value]) => ({
      metric,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text]),
      ) as Record<string, string>,
      value: Number(value),
    }),
  );
  return { types: new Map(types), samples };
}

async function allMetrics(): Promise<Metrics> {
  const apps = Object.keys(managementUrls) as (keyof typeof managementUrls)[];
  const each = await Promise.all(apps.map(metricsOf));
  return {
    types: new Map(each.flatMap(({ types }) => [...types])),
    samples: each.flatMap(({ samples }) => samples),
  };
}

describe('the metrics of the running processes', () => {
  it('are all those that the alerts name', async () => {
    await workForEveryProcess(platform, organization, receiver);
    const named = alertRules().flatMap(({ expr }) => expr.match(/\boffizin_\w+/g) ?? []);
    await eventually('all of them, a failed attempt included', async () => {
      const { types } = await allMetrics();
      const isKnown = (metric: string) => types.has(metric) || types.has(metric.replace(/_[a-z]+$/, ''));
      expect(named.filter((metric) => !isKnown(metric))).toEqual([]);
      return true;
    });
  });

  it('count requests at the edge and at the owner by the name of the operation', async () => {
    const countOf = ({ samples }: Metrics, metric: string, labels: Record<string, string>) =>
      samples.find(
        (sample) =>
          sample.metric === metric &&
          Object.entries(labels).every(([name, value]) => sample.labels[name] === value),
      )?.value ?? 0;
    const edge = 'offizin_http_request_duration_seconds_count';
    const before = await allMetrics();
    await organization.api('GET', '/orders');
    await organization.connector({ method: 'GET' });
    await http(`${testEnvironment().baseUrl}/no/such/${organization.orgId}`);
    await eventually('the requests to be counted', async () => {
      const after = await allMetrics();
      const more = (metric: string, labels: Record<string, string>) =>
        countOf(after, metric, labels) > countOf(before, metric, labels);
      return (
        more(edge, { app: 'gateway', operation: 'orders.list', status: '200' }) &&
        more('offizin_operation_duration_seconds_count', {
          app: 'order-core',
          operation: 'orders.list',
          status: '200',
        }) &&
        more(edge, { app: 'connector-edge', operation: 'order-requests.find-external', status: '400' }) &&
        more(edge, { app: 'gateway', operation: 'none', status: '404' })
      );
    });
  });

  it('have no id of anything in any label, and few values for each', async () => {
    await workForEveryProcess(platform, organization, receiver);
    const { samples } = await allMetrics();
    const texts = samples.flatMap(({ labels }) => Object.values(labels));
    const { orgId, shops, apiKey } = organization;
    for (const id of [orgId, shops[0].shopId, shops[0].domain, apiKey.id])
      expect(texts.filter((text) => text.includes(id))).toEqual([]);
    expect(texts.filter((text) => /[0-9a-f]{8}-[0-9a-f]{4}/.test(text))).toEqual([]);
  });

  it('follow the conventions: prefix, base units, _total on counters and only there, and the app on each', async () => {
    const { types, samples } = await allMetrics();
    // The client library's own are named as its makers chose.
    const names = [...types.keys()].filter((name) => !name.startsWith('offizin_nodejs_'));
    expect(names.filter((name) => !name.startsWith('offizin_'))).toEqual([]);
    expect(names.filter((name) => /_(?:ms|millis|milliseconds|minutes|kb|mb)(?:_|$)/.test(name))).toEqual([]);
    expect(names.filter((name) => (types.get(name) === 'counter') !== name.endsWith('_total'))).toEqual([]);
    expect(samples.filter(({ labels }) => labels['app'] === undefined)).toEqual([]);
    expect(new Set(samples.map(({ labels }) => labels['app']))).toEqual(new Set(Object.keys(managementUrls)));
  });

  it('tell pool, outbox, consumer, directory and seals of the services that have them', async () => {
    const { samples } = await allMetrics();
    const appsWith = (metric: string) =>
      samples
        .filter((sample) => sample.metric === metric)
        .map(({ labels }) => labels['app'])
        .sort();
    const services = ['catalog', 'order-core', 'webhook-worker'];
    expect(appsWith('offizin_database_pool_size')).toEqual(services);
    expect(appsWith('offizin_outbox_oldest_unpublished_age_seconds')).toEqual(services);
    expect(appsWith('offizin_consumer_pending_messages')).toEqual(services);
    expect(appsWith('offizin_directory_age_seconds')).toEqual(['catalog', 'connector-edge', 'gateway']);
    expect(appsWith('offizin_audit_unsealed_entries')).toEqual(['order-core']);
    expect(appsWith('offizin_webhook_oldest_due_age_seconds')).toEqual(['webhook-worker']);
    expect(
      samples.filter(({ metric, value }) => metric === 'offizin_metric_samples_failed_total' && value > 0),
    ).toEqual([]);
    const refused = samples.filter(({ metric }) => metric === 'offizin_untrusted_calls_total');
    const unsigned = refused.filter(({ labels }) => labels['why'] === 'unauthorized');
    expect(unsigned.map(({ labels }) => labels['app']).sort()).toEqual(Object.keys(managementUrls).sort());
    expect(
      samples.filter(({ metric }) => metric === 'offizin_bus_connected').map(({ value }) => value),
    ).toEqual([1, 1, 1, 1, 1]);
  });
});
