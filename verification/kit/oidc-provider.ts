import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { http, type HttpAnswer } from './http';

export interface OidcClient {
  clientId: string;
  secret: string;
  redirectUri: string;
}

export interface OidcProvider {
  issuer: string;
  /** It takes connections, and answers nothing until `resume`. */
  pause: () => void;
  resume: () => void;
  stop: () => Promise<void>;
}

/** A real provider in a separate process (oidc-server.mjs). */
export async function startOidcProvider(clients: readonly OidcClient[]): Promise<OidcProvider> {
  const script = join(__dirname, 'oidc-server.mjs');
  const child = spawn(process.execPath, [script, JSON.stringify(clients)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [issuer] = (await Promise.race([once(lines, 'line'), ended.then(() => [''])])) as [string];
  if (issuer === '') throw new Error('the provider did not start');
  return {
    issuer,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** The cookies of one browser, by host and port, and its way through redirects. */
export class RedirectFollower {
  private readonly jars = new Map<string, Map<string, string>>();

  constructor(private readonly headers: Record<string, string> = {}) {}

  async get(url: string): Promise<HttpAnswer> {
    const jar = this.jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await http(url, { headers: { ...this.headers, ...(cookie !== '' && { cookie }) } });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  /** Until an address begins with `end`, which is not called, or there is no redirect; returns the last address. */
  async follow(url: string, end: string): Promise<string> {
    let at = url;
    for (let steps = 0; steps < 12 && !at.startsWith(end); steps += 1) {
      const { location } = (await this.get(at)).headers;
      if (typeof location !== 'string') return at;
      at = new URL(location, at).href;
    }
    return at;
  }

  setCookie(url: string, name: string, value: string): void {
    this.jarOf(url).set(name, value);
  }

  cookieOf(url: string, name: string): string | undefined {
    return this.jarOf(url).get(name);
  }

  forget(url: string): void {
    this.jars.delete(new URL(url).host);
  }

  private jarOf(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    return jar;
  }
}
