import { natsPasswordVariable, probeNats } from './nats';
import type { NatsUser, Secrets } from './secrets';

export interface NatsLogin {
  user: string;
  password: string;
}

/**
 * Logins at the broker. At the stack's own server each app has its own user. At an external one (`natsUrl`): users
 * of permissions.conf whose passwords are in the environment, else the user in the URL, else none.
 */
export function natsLogins(
  natsUrl: string | undefined,
  secrets: Secrets,
): (user: NatsUser) => NatsLogin | undefined {
  return (user) => {
    if (!natsUrl) return { user, password: secrets.natsPasswords[user] };
    const own = process.env[natsPasswordVariable(user)];
    if (own) return { user, password: own };
    const { username, password } = new URL(natsUrl);
    if (!username) return undefined;
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  };
}

export async function checkExternalNats(natsUrl: string, login: NatsLogin | undefined): Promise<void> {
  const { hostname, port } = new URL(natsUrl);
  const problem = await probeNats(hostname, Number(port || 4222), login);
  if (problem) throw new Error(`NATS_URL (${withoutLogin(natsUrl)}) cannot be used: ${problem}`);
}

export function withoutLogin(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
