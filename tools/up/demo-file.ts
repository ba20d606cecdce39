import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import type { Stack } from '@offizin/local-stack/stack';

export interface DemoShop {
  shop_id: string;
  name: string;
  domain: string;
  shop_url: string;
}

export interface DemoOrganization {
  org_id: string;
  name: string;
  api_key: string;
  integration_key: string;
  shops: DemoShop[];
  /** Decides requests by their reference. */
  test_shop?: DemoShop & { integration_key: string };
  staff: { email: string; password: string; role: string }[];
}

/** `<data dir>/demo.json`: what scripts and people need to talk to the running stack. It is there only while it runs. */
export interface DemoFile {
  base_url: string;
  shop_url: string;
  docs_url: string;
  console_url: string;
  database_url: string;
  nats_url: string;
  /** Of a broker with TLS. */
  nats_tls_ca_file?: string;
  organizations: DemoOrganization[];
  processes: Record<string, { pid: number | undefined; management_url?: string }>;
}

export function describeStack(stack: Stack, organizations: DemoOrganization[]): DemoFile {
  const { gateway, connectorEdge } = stack.urls;
  return {
    base_url: gateway,
    shop_url: organizations[0]?.shops[0]?.shop_url ?? connectorEdge,
    docs_url: `${gateway}/docs`,
    console_url: `${gateway}/console`,
    database_url: stack.adminDatabaseUrl,
    nats_url: operatorUrl(stack),
    ...(stack.natsOperator.tlsCaFile && { nats_tls_ca_file: stack.natsOperator.tlsCaFile }),
    organizations,
    processes: {
      ...Object.fromEntries(
        [...appNames.map((app) => stack.apps[app]), ...stack.replicas].map(({ name, pid, managementUrl }) => [
          name,
          { pid, management_url: managementUrl },
        ]),
      ),
      ...(stack.postgres && { postgres: { pid: stack.postgres.process.pid } }),
      ...Object.fromEntries(stack.brokers.map(({ process: { name, pid } }) => [name, { pid }])),
    },
  };
}

export function writeDemoFile(dataDir: string, content: DemoFile): void {
  writeJson(demoFile(dataDir), content);
}

/** Atomic for concurrent readers; readable by the owner only, because it may hold keys. */
export function writeJson(file: string, content: object): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

export function removeDemoFile(dataDir: string): void {
  rmSync(demoFile(dataDir), { force: true });
}

export function demoFile(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

/** For a person: keys, shops and logins. */
export function organizationLines(organization: DemoOrganization): string[] {
  const { test_shop: testShop } = organization;
  return [
    '',
    `  ${organization.name}  (${organization.org_id})`,
    `    API key          ${organization.api_key}`,
    `    integration key  ${organization.integration_key}`,
    ...organization.shops.map(
      (shop) => `    shop             ${shop.name}  ${shop.shop_url}  (${shop.shop_id})`,
    ),
    ...(testShop
      ? [`    test shop        ${testShop.shop_url}  (${testShop.shop_id})  key ${testShop.integration_key}`]
      : []),
    ...organization.staff.map(
      (person) => `    staff            ${person.email}  ${person.password}  (${person.role})`,
    ),
  ];
}

function operatorUrl({ natsOperator }: Stack): string {
  const { url, user, password } = natsOperator;
  if (!user || !password) return url;
  return url.replaceAll('//', `//${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
}
