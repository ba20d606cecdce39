import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EVENT_RETENTION_DAYS,
  KEPT_ANSWER_BYTES,
  MAX_RATE_PER_SECOND,
  MAX_SUBSCRIPTIONS,
} from '@offizin/contracts/webhooks/webhooks';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { installDebianPackages, mayInstallPackages } from '@offizin/local-stack/program-path';
import { mistakeInEvent } from '@offizin/testkit/described-events';
import { MAX_ATTEMPTS, RETRY_WAITS_MS } from '../../apps/webhook-worker/deliveries/retry-schedule';
import { newSecret, signedHeaders } from '../../apps/webhook-worker/deliveries/signature';
import { ONLY_FAILURES_DAYS } from '../../apps/webhook-worker/deliveries/switch-off.store';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const page = read('docs/integrate/webhooks.md').replace(/\s+/g, ' ');

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

describe('docs/integrate/webhooks.md', () => {
  it('shows the retry schedule of the code', () => {
    const rows = [...read('docs/integrate/webhooks.md').matchAll(/^\| (\d+) +\| ([^|]+?) +\|$/gm)].map(
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
      `more than ${constantIn('deliveries/leases.store.ts', 'QUEUE_BLOCK_SECONDS')} seconds`,
    );
    expect(page).toContain(`at most ${constantIn('deliveries/leases.store.ts', 'GAP_WAIT_SECONDS')} seconds`);
    const overlap = constantIn('subscriptions/settings.ts', 'ROTATION_OVERLAP_HOURS');
    expect(page).toContain(`For ${overlap} hours`);
  });

  it('shows an event as the catalogue describes it', () => {
    const [shown = ''] = [...read('docs/integrate/webhooks.md').matchAll(/```json\n([^]*?)```/g)].map(
      ([, text]) => text,
    );
    expect(mistakeInEvent(JSON.parse(shown))).toBeNull();
  });

  it('lists the headers that are sent', () => {
    const sent = Object.keys(signed('{}', newSecret())).filter((name) => /^(?:x-|webhook-)/.test(name));
    const shown = [...read('docs/integrate/webhooks.md').matchAll(/^\| `([\w-]+)` +\|/gm)].map(
      ([, name = '']) => name,
    );
    expect(shown.map((name) => name.toLowerCase())).toEqual(sent);
  });

  it('shows code that takes a true signature and refuses a false one', () => {
    const secret = newSecret();
    const body = JSON.stringify({ id: '1', text: 'Grüße' });
    const headers = signed(body, secret);
    expect(run('plain', `verifyPlain(...given)`, [body, headers, secret])).toBe('true');
    expect(run('plain', `verifyPlain(...given)`, [body, headers, newSecret()])).toBe('false');
    expect(run('plain', `verifyPlain(...given)`, [body, {}, secret])).toBe('false');
    expect(run('standard', `verifyStandard(...given).id`, [body, headers, secret])).toBe('1');
    expect(() => run('standard', `verifyStandard(...given).id`, [`${body} `, headers, secret])).toThrow(
      /signature/i,
    );
  });

  it('shows code that takes the old secret, too, while a rotation overlaps', () => {
    const [secret, previous] = [newSecret(), newSecret()];
    const headers = signed('{"id":"2"}', secret, previous);
    for (const one of [secret, previous])
      expect(run('standard', `verifyStandard(...given).id`, ['{"id":"2"}', headers, one])).toBe('2');
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
    plainSecret: secrets[0],
    nowSeconds,
  });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Runs a sample of the page in a separate Node.js and returns the value of `expression` as text. */
function run(sample: string, expression: string, given: unknown[]): string {
  const code = new RegExp(`<!-- sample: ${sample} -->\\s+\`\`\`js\\n([^]*?)\`\`\``).exec(
    read('docs/integrate/webhooks.md'),
  )?.[1];
  if (code === undefined) throw new Error(`no sample ${sample}`);
  const script = `${code}\nconst given = ${JSON.stringify(given)};\nprocess.stdout.write(String(${expression}));`;
  return execFileSync(process.execPath, ['-e', script], {
    cwd: checkoutRoot,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** docs/integrate/verifying-webhooks.md: its functions, each run by its own language. */
interface Sample {
  language: string;
  /** Name of the file that the sample and its caller make. */
  file: string;
  program: string[];
  /** Debian's package of the program, where it is small enough to be installed for this test. */
  debianPackage?: string;
  /** What a receiver adds: calls the function for each line of input and prints `taken` or `refused` for it. */
  caller: string;
}

const samples: Sample[] = [
  {
    language: 'js',
    file: 'verify.mjs',
    program: [process.execPath],
    caller: `
import { readFileSync } from 'node:fs';
for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const { secret, headers, body } = JSON.parse(line);
  let said = 'refused';
  try { said = verifyWebhook(Buffer.from(body, 'base64'), headers, secret).id === '1' ? 'taken' : 'misread'; } catch {}
  console.log(said);
}`,
  },
  {
    language: 'python',
    file: 'verify.py',
    program: ['python3'],
    caller: `
import sys
for line in sys.stdin:
    given = json.loads(line)
    try:
        event = verify_webhook(base64.b64decode(given["body"]), given["headers"], given["secret"])
        print("taken" if event["id"] == "1" else "misread")
    except ValueError:
        print("refused")`,
  },
  {
    language: 'php',
    file: 'verify.php',
    program: ['php'],
    debianPackage: 'php-cli',
    caller: `
while (($line = fgets(STDIN)) !== false) {
    $given = json_decode($line, true);
    try {
        $event = verifyWebhook(base64_decode($given['body']), $given['headers'], $given['secret']);
        echo $event['id'] === '1' ? "taken\\n" : "misread\\n";
    } catch (RuntimeException) {
        echo "refused\\n";
    }
}`,
  },
  {
    language: 'java',
    file: 'Verify.java',
    program: ['java'],
    caller: `
class Verify {
    public static void main(String[] none) throws Exception {
        String[] lines = new String(System.in.readAllBytes(), StandardCharsets.UTF_8).trim().split("\\n");
        for (String line : lines) {
            Map<String, String> text = new java.util.HashMap<>();
            var pairs = java.util.regex.Pattern.compile("\\"([a-z-]+)\\":\\"([^\\"]*)\\"").matcher(line);
            while (pairs.find()) text.put(pairs.group(1), pairs.group(2));
            try {
                WebhookVerifier.verify(Base64.getDecoder().decode(text.get("body")), text, text.get("secret"));
                System.out.println("taken");
            } catch (SecurityException refused) {
                System.out.println("refused");
            }
        }
    }
}`,
  },
];

const guide = readFileSync(join(checkoutRoot, 'docs/integrate/verifying-webhooks.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'offizin-verifying-'));

const secret = newSecret();
const previous = newSecret();
const body = '{"id":"1","text":"Grüße"}';

/** As they arrive, with names in lower case. */
function headersBy(secrets: [string, ...string[]], nowSeconds: number): Record<string, string> {
  const delivery = {
    deliveryId: 'delivery-1',
    eventType: 'webhook_test',
    body,
    secrets,
    plainSecret: secrets[0],
  };
  const headers = signedHeaders({ ...delivery, nowSeconds });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

type Case = [what: string, said: 'taken' | 'refused', headers: Record<string, string>, text?: string];

/** When a program starts: compiling the ones before it may take more than a minute. */
function casesAt(nowSeconds: number): Case[] {
  const signedBy = (...secrets: [string, ...string[]]) => headersBy(secrets, nowSeconds);
  const without = (name: string) =>
    Object.fromEntries(Object.entries(signedBy(secret)).filter(([key]) => key !== name));
  return [
    ['a true delivery', 'taken', signedBy(secret)],
    ['signed with the new and the old secret', 'taken', signedBy(previous, secret)],
    ['four minutes old', 'taken', headersBy([secret], nowSeconds - 240)],
    ['ten minutes old', 'refused', headersBy([secret], nowSeconds - 600)],
    ['ten minutes ahead', 'refused', headersBy([secret], nowSeconds + 600)],
    ['with the secret of another', 'refused', signedBy(previous)],
    ['with a changed body', 'refused', signedBy(secret), body.replace('1', '2')],
    ['with another id', 'refused', { ...signedBy(secret), 'webhook-id': 'delivery-2' }],
    [
      'with a fresh time on an old signature',
      'refused',
      { ...headersBy([secret], 1), 'webhook-timestamp': String(nowSeconds) },
    ],
    ['with no time', 'refused', without('webhook-timestamp')],
    ['with a time that is not a number', 'refused', { ...signedBy(secret), 'webhook-timestamp': 'now' }],
    ['with no signature', 'refused', without('webhook-signature')],
    ['with an empty signature', 'refused', { ...signedBy(secret), 'webhook-signature': 'v1,' }],
  ];
}

it.each(samples.map((sample): [string, Sample] => [sample.language, sample]))(
  'the function in %s takes true deliveries and refuses all others',
  async (language, { file, program, debianPackage, caller }) => {
    if (!(await isPresent(program, debianPackage))) {
      console.warn(`no ${program.join(' ')} on this machine: its sample is not run`);
      return;
    }
    const code = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(guide)?.[1] ?? '';
    const path = join(folder, file);
    // A Java file is run by its first class.
    writeFileSync(path, language === 'java' ? withCallerFirst(code, caller) : `${code}${caller}\n`);
    const [command = '', ...args] = program;
    const cases = casesAt(Math.floor(Date.now() / 1000));
    const input = cases.map(([, , headers, text = body]) =>
      JSON.stringify({ secret, headers, body: Buffer.from(text).toString('base64') }),
    );
    const ran = spawnSync(command, [...args, path], {
      input: `${input.join('\n')}\n`,
      encoding: 'utf8',
      timeout: 50_000,
    });
    const said = ran.stdout.trim().split('\n');
    expect(ran.status).toBe(0);
    expect(cases.map(([what], index) => [what, said[index]])).toEqual(
      cases.map(([what, expected]) => [what, expected]),
    );
  },
  // PHP may have to be installed.
  240_000,
);

function withCallerFirst(code: string, caller: string): string {
  const [imports = '', declared = ''] = code.split(/^(?=final class )/m);
  return `${imports}${caller}\n${declared}`;
}

async function isPresent(program: string[], debianPackage?: string): Promise<boolean> {
  const answers = (): boolean => spawnSync(program[0] ?? '', ['--version']).status === 0;
  if (answers()) return true;
  if (debianPackage && mayInstallPackages()) await installDebianPackages(debianPackage);
  return answers();
}
