import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeLiteral } from 'pg';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { withClient } from '@offizin/local-stack/database-client';

/**
 * deploy/postgres/passwords.sql with the secrets of an installation, as psql runs it: a machine that runs tests may have the
 * programs of a server only. `adminUrl` names Offizin's database.
 */
export async function setDatabasePasswords(adminUrl: string, secrets: Record<string, string>): Promise<void> {
  const script = readFileSync(join(checkoutRoot, 'deploy', 'postgres', 'passwords.sql'), 'utf8');
  const [head = '', query = ''] = script.replace(/^--.*\n/gm, '').split(/^(?=WITH)/m);
  const variables = [...head.matchAll(/^\\getenv (\w+) (\w+)$/gm)];
  const values = new Map(variables.map(([, name, variable = '']) => [name, secrets[variable] ?? '']));
  const text = query
    .replace('\\gexec', '')
    .replace(/:'(\w+)'/g, (_all, name: string) => escapeLiteral(values.get(name) ?? ''));
  await withClient(adminUrl, async (admin) => {
    for (const { format } of (await admin.query<{ format: string }>(text)).rows) await admin.query(format);
  });
}
