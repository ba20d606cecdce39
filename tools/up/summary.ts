import type { DemoFile, DemoOrganization } from './demo-file';

/** What a person sees when everything is ready: where things are, the demo's keys, and one line to try. */
export function summaryOf(demo: DemoFile, demoFile: string, seconds: number): string {
  const pids = Object.entries(demo.processes).map(([name, { pid }]) => `${name} ${pid ?? '(down)'}`);
  return [
    '',
    `Offizin is ready after ${seconds.toFixed(1)} s. Ctrl-C stops everything.`,
    '',
    `  API        ${demo.base_url}`,
    `  console    ${demo.console_url}`,
    `  connector  ${demo.shop_url}`,
    `  docs       ${demo.docs_url}  (guides and links: ${demo.base_url})`,
    `  details    ${demoFile}  (keys, database, NATS; while it runs)`,
    `  processes  ${pids.join(', ')}`,
    ...demo.organizations.flatMap(organizationLines),
    ...tryLines(demo),
    '',
    '  Webhook targets and prescription links on this machine (127.0.0.1, http) are allowed here; production refuses them.',
    '',
  ].join('\n');
}

function organizationLines(organization: DemoOrganization): string[] {
  return [
    '',
    `  ${organization.name}  (${organization.org_id})`,
    `    API key          ${organization.api_key}`,
    `    integration key  ${organization.integration_key}`,
    ...organization.shops.map(
      (shop) => `    shop             ${shop.name}  ${shop.shop_url}  (${shop.shop_id})`,
    ),
    ...organization.staff.map(
      (person) => `    staff            ${person.email}  ${person.password}  (${person.role})`,
    ),
  ];
}

function tryLines(demo: DemoFile): string[] {
  const [first] = demo.organizations;
  if (!first) return [];
  const token = `curl -s -X POST -H 'X-API-Key: ${first.api_key}' ${demo.base_url}/auth/token`;
  const cut = `sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'`;
  const orders = `${demo.base_url}/api/v2/public/orgs/${first.org_id}/orders`;
  return ['', '  Try:', `    curl -s -H "Authorization: Bearer $(${token} | ${cut})" ${orders}`];
}
