import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  EVENT_RETENTION_DAYS,
  KEPT_ANSWER_BYTES,
  MAX_RATE_PER_SECOND,
  MAX_SUBSCRIPTIONS,
} from '@offizin/contracts/webhooks';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { mistakeInEvent } from '@offizin/testkit/described-events';
import { MAX_ATTEMPTS, RETRY_WAITS_MS } from '../../apps/webhook-worker/deliveries/retry-schedule';
import { newSecret, signedHeaders } from '../../apps/webhook-worker/deliveries/signature';
import { ONLY_FAILURES_DAYS } from '../../apps/webhook-worker/deliveries/switch-off.store';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const page = read('docs/webhooks.md').replace(/\s+/g, ' ');

/** A constant that its file keeps to itself. */
function constantIn(path: string, name: string): number {
  const value = new RegExp(`const ${name} = ([\\d_.]+);`).exec(read(`apps/webhook-worker/${path}`))?.[1];
  if (value === undefined) throw new Error(`${path} has no constant ${name}`);
  return Number(value.replaceAll('_', ''));
}

function duration(ms: number): string {
  if (ms < 60_000) return `${ms / 1000} s`;
  return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
}

describe('docs/webhooks.md', () => {
  it('shows the retry schedule of the code', () => {
    const rows = [...read('docs/webhooks.md').matchAll(/^\| (\d+) +\| ([^|]+?) +\|$/gm)].map(
      ([, ...cells]) => cells,
    );
    expect(rows).toEqual(
      [0, ...RETRY_WAITS_MS].map((ms, index) => [String(index + 1), ms === 0 ? 'none' : duration(ms)]),
    );
    expect(page).toContain(`After attempt ${MAX_ATTEMPTS} the delivery`);
    expect(page).toContain(`spread by ${constantIn('deliveries/retry-schedule.ts', 'JITTER') * 100} %`);
  });

  it('states the limits of the code', () => {
    expect(page).toContain(`at most ${MAX_SUBSCRIPTIONS} subscriptions`);
    expect(page).toContain(`(1 to ${MAX_RATE_PER_SECOND})`);
    expect(page).toContain(`missed in the last ${EVENT_RETENTION_DAYS} days`);
    expect(page).toContain(`for the last ${EVENT_RETENTION_DAYS} days`);
    expect(page).toContain(`failed for ${ONLY_FAILURES_DAYS} days`);
    expect(KEPT_ANSWER_BYTES).toBe(1024);
    expect(page).toContain(
      `within ${constantIn('deliveries/delivery-engine.ts', 'REQUEST_TIMEOUT_MS') / 1000} seconds`,
    );
    expect(page).toContain(
      `more than ${constantIn('deliveries/claims.store.ts', 'QUEUE_BLOCK_SECONDS')} seconds`,
    );
    expect(page).toContain(`at most ${constantIn('deliveries/claims.store.ts', 'GAP_WAIT_SECONDS')} seconds`);
    const overlap = constantIn('subscriptions/settings.ts', 'ROTATION_OVERLAP_HOURS');
    expect(page).toContain(`For ${overlap} hours`);
  });

  it('shows an event as the catalogue describes it', () => {
    const [shown = ''] = [...read('docs/webhooks.md').matchAll(/```json\n([^]*?)```/g)].map(
      ([, text]) => text,
    );
    expect(mistakeInEvent(JSON.parse(shown))).toBeNull();
  });

  it('lists the headers that are sent', () => {
    const sent = Object.keys(signed('{}', newSecret())).filter((name) => /^(?:x-|webhook-)/.test(name));
    const shown = [...read('docs/webhooks.md').matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, name = '']) => name);
    expect(shown.map((name) => name.toLowerCase())).toEqual(sent);
  });

  it('shows code that takes a true signature and refuses a false one', () => {
    const secret = newSecret();
    const body = JSON.stringify({ id: '1', text: 'Grüße' });
    const headers = signed(body, secret);
    expect(run('plain', `verifyPlain(...given)`, [secret, headers, body])).toBe('true');
    expect(run('plain', `verifyPlain(...given)`, [newSecret(), headers, body])).toBe('false');
    expect(run('plain', `verifyPlain(...given)`, [secret, {}, body])).toBe('false');
    expect(run('standard', `verifyStandard(...given).id`, [secret, headers, body])).toBe('1');
    expect(() => run('standard', `verifyStandard(...given).id`, [secret, headers, `${body} `])).toThrow(
      /signature/i,
    );
  });

  it('shows code that takes the old secret, too, while a rotation overlaps', () => {
    const [secret, previous] = [newSecret(), newSecret()];
    const headers = signed('{"id":"2"}', secret, previous);
    for (const one of [secret, previous])
      expect(run('standard', `verifyStandard(...given).id`, [one, headers, '{"id":"2"}'])).toBe('2');
  });
});

/** As a receiver sees them: names in lower case. */
function signed(body: string, ...secrets: [string, ...string[]]): Record<string, string> {
  const nowSeconds = Date.now() / 1000;
  const headers = signedHeaders({
    deliveryId: 'delivery-1',
    eventType: 'webhook_test',
    body,
    secrets,
    nowSeconds,
  });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Runs a sample of the page in a Node.js of its own and gives what `expression` is, as text. */
function run(sample: string, expression: string, given: unknown[]): string {
  const code = new RegExp(`<!-- sample: ${sample} -->\\s+\`\`\`js\\n([^]*?)\`\`\``).exec(
    read('docs/webhooks.md'),
  )?.[1];
  if (code === undefined) throw new Error(`no sample ${sample}`);
  const script = `${code}\nconst given = ${JSON.stringify(given)};\nprocess.stdout.write(String(${expression}));`;
  return execFileSync(process.execPath, ['-e', script], {
    cwd: checkoutRoot,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}
