import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { databaseServices, natsUsers, readOrCreateSecrets } from '@offizin/local-stack/secrets';

/** The secrets that docker-compose.yml asks for, all new, by variable. */
export function newEnvironment(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-deploy-'));
  try {
    const secrets = readOrCreateSecrets(folder);
    return {
      POSTGRES_PASSWORD: secrets.postgresAdminPassword,
      ...Object.fromEntries(
        databaseServices.map((name) => [databasePasswordVariable(name), secrets.databasePasswords[name]]),
      ),
      ...Object.fromEntries(
        natsUsers.map((user) => [natsPasswordVariable(user), secrets.natsPasswords[user]]),
      ),
      INTERNAL_TOKEN_SECRET: secrets.internalTokenSecret,
      MASTER_KEY: secrets.masterKey,
      TOKEN_SIGNING_KEYS: secrets.tokenSigningKeys,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `webhook-worker` → `WEBHOOK_WORKER_DATABASE_PASSWORD` */
export function databasePasswordVariable(service: string): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_DATABASE_PASSWORD`;
}

/** Single quotes keep a value as it is; none of ours holds one. */
export function environmentText(environment: Record<string, string>): string {
  const lines = Object.entries(environment).map(([name, value]) => `${name}='${value}'`);
  return [
    '# Secrets of this installation. Keep a copy: without MASTER_KEY the stored documents cannot be read.',
    ...lines,
    '# Address under which callers reach the gateway; also the issuer of the tokens.',
    'PUBLIC_BASE_URL=http://127.0.0.1:3000',
    '',
  ].join('\n');
}
