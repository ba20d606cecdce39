import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loopback } from '@offizin/local-stack/apps';
import { freePort } from '@offizin/local-stack/ports';
import { killChild, programProblem, requiredProgram } from './programs';
import { eventually } from './eventually';
import { http, json } from './http';

export const prometheusProblem = programProblem('promtool');

/** What promtool printed. Throws with it when a file is wrong or a test of rules fails. */
export async function promtool(...args: string[]): Promise<string> {
  const program = requiredProgram('promtool');
  const { stdout } = await promisify(execFile)(program, args).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`promtool ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  });
  return stdout;
}

export interface LoadedRule {
  name: string;
  /** `ok` after an evaluation without an error. */
  health: string;
  lastError?: string;
  state: 'inactive' | 'pending' | 'firing';
}

export interface PrometheusOptions {
  /** Base URLs of /metrics. */
  targets: readonly string[];
  /** Text of a file of alert rules. */
  rules: string;
}

/** A real Prometheus that scrapes and evaluates each second. */
export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
  ) {}

  static async start(options: PrometheusOptions): Promise<Prometheus> {
    const program = requiredProgram('prometheus');
    const folder = mkdtempSync(join(tmpdir(), 'offizin-prometheus-'));
    writeFileSync(join(folder, 'alerts.yml'), options.rules);
    writeFileSync(join(folder, 'prometheus.yml'), configuration(options.targets));
    const port = await freePort();
    const flags = {
      'config.file': join(folder, 'prometheus.yml'),
      'storage.tsdb.path': join(folder, 'data'),
      'web.listen-address': `127.0.0.1:${port}`,
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const child = spawn(program, args, { stdio: 'ignore' });
    const prometheus = new Prometheus(child, loopback(port));
    const isReady = async () => (await http(`${prometheus.url}/-/ready`)).status === 200;
    await eventually('Prometheus to be ready', isReady).catch(async (error: unknown) => {
      await prometheus.stop();
      throw error;
    });
    return prometheus;
  }

  /** How many series answer a query now. Throws when Prometheus refuses it. */
  async seriesOf(query: string): Promise<number> {
    const { result } = await this.ask<{ result: unknown[] }>('query', { query });
    return result.length;
  }

  async rules(): Promise<LoadedRule[]> {
    const { groups } = await this.ask<{ groups: { rules: LoadedRule[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    await killChild(this.child);
  }

  private async ask<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
    const answer = await http(`${this.url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.body.toString()}`);
    return json<{ data: T }>(answer).data;
  }
}

/** JSON is YAML. */
function configuration(targets: readonly string[]): string {
  return JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [
      { job_name: 'offizin', static_configs: [{ targets: targets.map((url) => new URL(url).host) }] },
    ],
  });
}
