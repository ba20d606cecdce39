import { readConfig, TextSetting, UrlSetting } from '@offizin/runtime/config';
import { note, say } from '../offizin/output';
import { OperatorConfig } from '../offizin/platform';
import { organizationLines } from '../up/demo-file';
import { seedDemo } from './seed';

/** What the service `demo` of docker-compose.yml has. */
class DemoConfig extends OperatorConfig {
  @UrlSetting('GATEWAY_URL', { protocols: ['http:'], description: 'address among the containers' })
  readonly gateway!: string;
  @UrlSetting('PUBLIC_BASE_URL', { protocols: ['http:', 'https:'], description: 'that of the gateway' })
  readonly publicBaseUrl!: string;
  @UrlSetting('SHOP_URL', { protocols: ['http:'], description: 'where this machine reaches connector-edge' })
  readonly connectorEdge!: string;
  @TextSetting('DEMO_FOLDER', { description: 'keeps the keys' })
  readonly dataDir!: string;
}

/**
 * `docker compose run --rm demo`: the pharmacies, people and keys that `npm start` makes, and how a partner hands in an
 * order request. A second run prints the same.
 */
async function main(): Promise<void> {
  const { gateway, publicBaseUrl, connectorEdge, dataDir, ...operator } = readConfig(DemoConfig, process.env);
  const urls = { gateway, console: publicBaseUrl, connectorEdge };
  const organizations = await seedDemo({ dataDir, urls, operator });
  const [first] = organizations;
  const body = {
    source: 'telemedicine demo',
    payload: {
      customer_name: 'Erika Mustermann',
      customer_email: 'erika@example.org',
      items: [{ p1_id: 'DEMO-0004', name: 'Cannabisblüten Demo 18/1', quantity: 5, price: 8.2 }],
    },
  };
  const lines = [
    `  console    ${publicBaseUrl}/console`,
    ...organizations.flatMap(organizationLines),
    '',
    '  A partner hands in an order request:',
    `    curl -s ${first?.shops[0]?.shop_url}/api/v1/external-order -H 'apikey: ${first?.integration_key}' \\`,
    `      -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
  ];
  say(lines.join('\n'));
}

main().catch((error: unknown) => {
  note(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
