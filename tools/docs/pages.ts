import { ERROR_CODES, ERRORS } from '@offizin/contracts/calls/error-table';
import { describedEventTypes, metadataSchemaOf } from '@offizin/contracts/webhooks/event-descriptions';
import { EVENT_TYPES } from '@offizin/contracts/webhooks/events';
import { type Operation, subjectOf } from '@offizin/contracts/calls/operation';
import { operations } from '@offizin/contracts/operations';
import { EdgeProcessConfig } from '@offizin/http-edge/edge-config';
import { appNames } from '@offizin/local-stack/apps';
import { type SettingDescription, settingsOf } from '@offizin/runtime/config';
import { ProcessConfig, ServiceConfig } from '@offizin/runtime/process-config';
import { helpText } from '../up/options';
import { appConfigs, TRACE_SETTINGS } from './app-settings';
import { chartPage } from './chart-page';
import { markdownTable } from './markdown-table';

const WRITTEN =
  '<!-- Written by `node tools/bootstrap.mjs docs`. Change tools/docs or the code, not this page. -->';

/** docs/integrate/errors.md: every code of libs/contracts/calls/error-table.ts. */
function errorsPage(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, when, then } = ERRORS[code];
    return [String(status), `\`${code}\``, when, then];
  });
  return `${WRITTEN}

# Errors

What each error means, and what to do about it. Every answer that is not a success has this body:

\`\`\`json
{
  "error": "invalid_request",
  "message": "items[0].qty: must be an integer",
  "details": [{ "field": "items[0].qty", "message": "must be an integer" }]
}
\`\`\`

\`error\` is stable, \`message\` is for people and may change. \`details\` is part of a 400 with every problem, on
\`out_of_stock\` with the lines that lack stock, and on a \`conflict\` that a field such as \`version\` decides. Every answer has \`X-Request-Id\`.
A token request by OAuth 2.0 form or HTTP Basic gets \`error_description\`, too.

After a 4xx nothing was stored: change something. After a 502, 503 or 504 the change may have happened unless the message says
that nothing was changed: repeat. A 500 is a defect.

${markdownTable([['Status', 'error', 'When', 'What to do'], ...rows])}
`;
}

/** docs/operate/configuration.md: every setting of every app, from its configuration class. */
function configurationPage(): string {
  return `${WRITTEN}

# Configuration

An app reads its configuration once, at start, from the environment. It reports all mistakes in one message and ends
with exit code 1. An empty variable counts as not set. A secret may come from a file
instead, in which a line break at the end is ignored: from the one that \`<NAME>_FILE\` names, else from \`/run/secrets/<NAME>\`.

${sections()
  .map(([title, settings]) => `## ${title}\n\n${settingsTable(settings)}`)
  .join('\n\n')}

## Traces

Every app also reads OpenTelemetry's own variables. Without an endpoint there are no traces.

${markdownTable([['Variable', 'Default', 'Meaning'], ...TRACE_SETTINGS])}

The other standard variables of the exporter and of the batches apply, too (\`OTEL_EXPORTER_OTLP_TIMEOUT\`, \`OTEL_BSP_SCHEDULE_DELAY\`, …).
A caller's \`traceparent\` is honoured, and with the default sampler so is its wish to be recorded. Where callers are not trusted with
that, remove the header before the edges, or choose \`traceidratio\`.

## npm start

\`npm start\` sets all of the above for the apps that it starts. It reads:

${markdownTable([['Variable', 'Default', 'Meaning'], ...LOCAL_SETTINGS])}

It passes \`LOG_LEVEL\` and the variables for traces, except \`OTEL_SERVICE_NAME\`, on to the apps. Both \`EGRESS_ALLOW_…\` flags are \`true\` there, so that webhooks can go to this machine.

A missing nats-server is fetched without root: as the archive of its release, checked by SHA-256, or as the package of Debian or Ubuntu. Tried on Debian 12 (amd64), with and without root, with a mirror and without a network. Not tried: the archive from GitHub itself, arm64, macOS (which needs its own nats-server), WSL.
`;
}

/** Settings that several apps have are listed once, before those that only one app has. */
function sections(): [title: string, settings: SettingDescription[]][] {
  const process = settingsOf(ProcessConfig);
  const edge = settingsOf(EdgeProcessConfig).filter((setting) => !process.includes(setting));
  const service = settingsOf(ServiceConfig).filter((setting) => !process.includes(setting));
  const shared = [...process, ...edge, ...service];
  const ofApps = appNames.map((app): [string, SettingDescription[]] => [
    app,
    settingsOf(appConfigs[app]).filter((setting) => !shared.includes(setting)),
  ]);
  return [
    ['Every app', process],
    ['gateway and connector-edge', edge],
    ['order-core, catalog and webhook-worker', service],
    ...ofApps.filter(([, settings]) => settings.length > 0),
  ];
}

const LOCAL_SETTINGS = [
  ['`OFFIZIN_DATA_DIR`', '`.data`', 'Folder of everything that stays: database, broker, secrets, logs'],
  ['`GATEWAY_PORT`', '`3000`', 'Organization API'],
  ['`CONNECTOR_PORT`', '`3001`', 'Connector, for all shop domains'],
  ['`ORDER_CORE_PORT`', '`3010`', 'Internal HTTP port of order-core'],
  [
    '`MANAGEMENT_PORT_BASE`',
    '`9100`',
    `First of ${appNames.length} management ports: ${appNames.join(', ')}`,
  ],
  [
    '`POSTGRES_PROGRAMS`',
    'not set',
    'Folder of another PostgreSQL (bin, lib, share), in place of the one from npm',
  ],
  ['`POSTGRES_PORT`', 'a free one', 'Port of the PostgreSQL that it starts'],
  ['`NATS_PORT`', 'a free one', 'Port of the NATS that it starts'],
  ['`DATABASE_URL`', 'not set', 'Administrator’s URL of a PostgreSQL to use instead of starting one'],
  ['`NATS_URL`', 'not set', 'URL of a NATS to use instead of starting one'],
  ['`NATS_TLS_CA_FILE`', 'not set', 'Its certificate authority (PEM file), for `tls://`'],
  [
    '`NATS_SERVER_MIRROR`',
    'GitHub’s releases',
    'Base URL under which `v<version>/nats-server-….tar.gz` is fetched',
  ],
  ['`NATS_SERVER_FETCH`', 'on', '`off`: a missing nats-server is neither fetched as archive nor as package'],
];

function settingsTable(settings: SettingDescription[]): string {
  const rows = settings.map(({ environment, fallback, secret, description }) => [
    `\`${environment}\``,
    fallback === undefined ? 'required' : `\`${fallback}\``,
    secret ? 'secret' : '',
    description,
  ]);
  return markdownTable([['Variable', 'Default', '', 'Meaning'], ...rows]);
}

/** docs/integrate/events.md: every kind of event, with what its metadata holds. */
function eventsPage(): string {
  const rows = describedEventTypes().map(({ event_type: eventType }) => [
    `\`${eventType}\``,
    EVENT_TYPES[eventType],
    Object.keys(metadataSchemaOf(eventType)['properties'] ?? {})
      // In every kind.
      .filter((name) => name !== 'test')
      .map((name) => `\`${name}\``)
      .join(', '),
  ]);
  return `${WRITTEN}

# Events

Every kind of event, when it is sent, and what its metadata holds. Webhooks and the feed carry the same event;
[webhooks.md](webhooks.md) describes how it travels and how it looks.
\`GET /api/v2/public/orgs/{orgId}/webhook-event-types\` gives each kind with a JSON Schema and an example.

${markdownTable([['Kind', 'When', 'Metadata'], ...rows])}
`;
}

/** docs/integrate/routes.md: every operation of libs/contracts/operations.ts. */
function routesPage(): string {
  return `${WRITTEN}

# Routes

Every operation, as \`npm run routes\` prints it from \`libs/contracts/operations.ts\`. Via is NATS (\`bus\`), or HTTP to order-core
for what may be larger than a NATS message.

${markdownTable(routeTable())}
`;
}

/** The pages that are written, by path in the checkout. */
export const pages: Record<string, () => string> = {
  'docs/integrate/errors.md': errorsPage,
  'docs/integrate/events.md': eventsPage,
  'docs/operate/configuration.md': configurationPage,
  'docs/operate/chart.md': () => `${WRITTEN}\n${chartPage()}`,
  'docs/integrate/routes.md': routesPage,
  'tools/up/help.txt': helpText,
};

const MIB = 1024 * 1024;
const ACCESS: Partial<Record<Operation['access'], string>> = {
  connector: 'integration key',
  anyone: 'anyone',
  internal: 'own processes',
};

/**
 * The whole interface in the order of `operations`, with a head. An operation between our processes has a NATS subject.
 */
export function routeTable(): string[][] {
  const rows = operations.map((op) => [
    op.path === '' ? 'NATS' : op.method,
    `\`${op.path === '' ? subjectOf(op) : op.path}\``,
    ACCESS[op.access] ?? `\`${op.access}\`${op.roleScope ? `, people \`${op.roleScope}\`` : ''}`,
    op.service,
    op.via,
    op.body ? `${op.maxBodyBytes / MIB} MiB` : 'none',
  ]);
  return [['Method', 'Path or subject', 'Access', 'Service', 'Via', 'Body'], ...rows];
}
