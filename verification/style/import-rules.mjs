/**
 * Who may import whom: the projects of this tree by Nx tag (`mayDependOn`), and the packages that have one home only
 * (`homes`). eslint.config.mjs puts it in force; verification/style/lint-bites.spec.ts holds a wrong example of each
 * line.
 */
import { readdirSync } from 'node:fs';

// ---- projects: what each library and app may import; imports go down only ----
const base = ['lib:contracts', 'lib:runtime'];
const mayDependOn = {
  'lib:codes': [],
  'lib:contracts': ['lib:codes'],
  'lib:openapi': base,
  'lib:runtime': ['lib:contracts'],
  'lib:operations': base,
  'lib:pg': base,
  'lib:egress': [],
  'lib:http-body': base,
  'lib:local-stack': base,
  'lib:bus': [...base, 'lib:operations'],
  'lib:directory': [...base, 'lib:bus'],
  'lib:idempotency': [...base, 'lib:operations', 'lib:pg'],
  'lib:events': [...base, 'lib:bus', 'lib:pg'],
  'lib:service': [...base, 'lib:operations', 'lib:bus', 'lib:pg', 'lib:events', 'lib:idempotency'],
  'lib:http-edge': [...base, 'lib:operations', 'lib:http-body', 'lib:bus', 'lib:directory'],
};
const ofEdges = [...base, 'lib:operations', 'lib:http-body', 'lib:http-edge', 'lib:directory'];
const ofOwners = [
  ...base,
  'lib:operations',
  'lib:service',
  'lib:bus',
  'lib:events',
  'lib:pg',
  'lib:idempotency',
];
const appsMayDependOn = {
  'scope:gateway': [...ofEdges, 'lib:bus', 'lib:openapi'],
  'scope:connector-edge': ofEdges,
  'scope:order-core': [...ofOwners, 'lib:codes', 'lib:directory', 'lib:egress', 'lib:http-body'],
  'scope:catalog': [...ofOwners, 'lib:codes', 'lib:directory'],
  'scope:webhook-worker': [...ofOwners, 'lib:egress'],
  // their types and one rule, see consoleImports
  'type:console': ['lib:codes', 'lib:contracts', 'type:console'],
  // the samples only, see referenceImports
  'type:reference': ['lib:openapi', 'type:reference'],
};

// ---- packages with one home; `typesIn` may import their types only ----
const stores = ['apps/*/db/**', 'apps/**/*.store.ts'];
const testSide = ['tools/**', 'verification/**'];
const homes = [
  {
    packages: ['nats', '@nats-io'],
    in: ['libs/bus/**', 'libs/events/**'],
    reason: 'only libs/bus and libs/events speak NATS',
  },
  {
    packages: ['typeorm'],
    in: ['libs/pg/**', 'libs/events/**', 'libs/idempotency/**', ...stores, '**/*.db.spec.ts', ...testSide],
    reason: 'SQL lives in *.store.ts and db/, the connection in libs/pg',
  },
  {
    packages: ['pg'],
    in: ['libs/pg/**', 'libs/events/**', ...testSide],
    typesIn: [...stores, '**/*.db.spec.ts'],
    reason: 'connections and transactions come from libs/pg',
  },
  {
    packages: ['undici'],
    in: ['libs/egress/**', ...testSide],
    reason: 'every outbound request goes through the guard in libs/egress',
  },
  {
    packages: ['@opentelemetry'],
    in: ['libs/runtime/otel-tracing.ts', 'libs/runtime/tracing.spec.ts'],
    reason: 'spans are opened through libs/runtime/tracing.ts, so that tracing that is off loads nothing',
  },
];

/**
 * Besides the tags above, the browser takes no code of the server: decorators, Node's modules and secrets would travel
 * along.
 */
const consoleImports = [
  {
    regex: '^@offizin/contracts/(?!(?:calls/spreadsheet-text|requests/answer-(?:changes|sentences))$)',
    allowTypeImports: true,
    message:
      'the console takes types of the contract, `import type`, and its rules for spreadsheets and answers.',
  },
  { regex: '^(?:node:|vite(?:/|$))', message: 'the console runs in a browser.' },
];

/** Samples are written from the description alone, so they run in a browser too. */
const referenceImports = [
  {
    regex: '^@offizin/openapi/(?!samples/)',
    message: 'the reference page takes the samples of the description only.',
  },
  { regex: '^(?:node:|vite(?:/|$))', message: 'the reference page runs in a browser.' },
];

/** `no-restricted-imports` for the files to which exactly these homes are closed. */
function restrictedImports(closedHomes, alsoClosed = []) {
  return [
    'error',
    {
      paths: [
        {
          name: '@nestjs/common',
          importNames: ['forwardRef'],
          message: 'a cycle of providers is a wrong cut: move the shared part down.',
        },
      ],
      patterns: [
        {
          regex: '^@nestjs/[^/]+/.+',
          message: 'no deep imports from Nest: they break with its next major version.',
        },
        ...closedHomes.map(({ packages, reason, typesAllowed }) => ({
          regex: `^(?:${packages.join('|')})(?:/|$)`,
          allowTypeImports: typesAllowed === true,
          message: `${reason}.`,
        })),
        ...alsoClosed,
      ],
    },
  ];
}

/**
 * Later entries replace a rule's options, so each combination of open homes needs a separate entry: from all homes
 * closed, to each place with what is open there. A file in two places takes the last one that matches, so the places
 * named by file come before those named by folder.
 */
export function importRestrictions() {
  const places = [...new Set(homes.flatMap((home) => [...home.in, ...(home.typesIn ?? [])]))];
  places.sort((a, b) => Number(b.startsWith('**')) - Number(a.startsWith('**')));
  const openAt = (place) =>
    homes
      .filter((home) => !home.in.includes(place))
      .map((home) => ({ ...home, typesAllowed: home.typesIn?.includes(place) }));
  return [
    {
      files: ['**/*.{ts,tsx}'],
      rules: { '@typescript-eslint/no-restricted-imports': restrictedImports(homes) },
    },
    {
      files: ['apps/console/**/*.{ts,tsx}'],
      ignores: ['**/*.spec.ts'],
      rules: { '@typescript-eslint/no-restricted-imports': restrictedImports(homes, consoleImports) },
    },
    {
      files: ['apps/reference/**/*.ts'],
      ignores: ['**/*.spec.ts'],
      rules: { '@typescript-eslint/no-restricted-imports': restrictedImports(homes, referenceImports) },
    },
    ...places.map((place) => ({
      files: [place],
      rules: { '@typescript-eslint/no-restricted-imports': restrictedImports(openAt(place)) },
    })),
  ];
}

/**
 * The Nx rule; `also` are tags that every project may see here (spec files see the testkit), `allow` are imports that
 * are not asked at all.
 */
export function moduleBoundaries(also, allow = []) {
  const project = Object.entries({ ...mayDependOn, ...appsMayDependOn }).map(([sourceTag, tags]) => ({
    sourceTag,
    onlyDependOnLibsWithTags: [...tags, ...also],
  }));
  return [
    'error',
    {
      allow,
      depConstraints: [
        ...project,
        { sourceTag: 'lib:testkit', onlyDependOnLibsWithTags: ['type:lib'] },
        { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['*'] },
      ],
      // A library's spec imports the testkit, which imports that library. The tags above allow no other cycle.
      ignoredCircularDependencies: [['testkit', '*']],
    },
  ];
}

/** Folders of an app that every room may import. */
const openToAll = ['db'];

/** `area/room` for each folder in a folder without files (an area), else the folder itself. */
function roomsOf(app) {
  const inFolder = (path) =>
    readdirSync(new URL(`../../apps/${app}/${path}`, import.meta.url), { withFileTypes: true });
  const folders = (entries) => entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return folders(inFolder('')).flatMap((area) => {
    const entries = inFolder(area);
    const hasFiles = entries.some((entry) => entry.isFile());
    return hasFiles ? [area] : folders(entries).map((room) => `${area}/${room}`);
  });
}

/**
 * Zones of import-x/no-restricted-paths: a room imports another room of its app only along the list
 * `{ [app]: { [area or room]: [areas and rooms that it may import] } }`. The entry of an area holds for all of its
 * rooms, but does not open them to each other. `alsoOpen` are rooms that all files may import, such as the fixtures for
 * specs. Neither the Nx tags (one project) nor no-cycle see these imports.
 */
export function featureZones(listed, alsoOpen = []) {
  return Object.entries(listed).flatMap(([app, imports]) => {
    const rooms = roomsOf(app);
    return rooms
      .map((room) => {
        const [area] = room.split('/');
        const open = [room, ...openToAll, ...alsoOpen, ...(imports[area] ?? []), ...(imports[room] ?? [])];
        const isOpen = (other) => open.some((name) => other === name || other.startsWith(`${name}/`));
        return {
          target: `apps/${app}/${room}`,
          from: rooms.filter((other) => !isOpen(other)).map((other) => `apps/${app}/${other}`),
          message: 'Move the shared rule down, or add the pair to featureImports in eslint.config.mjs.',
        };
      })
      .filter(({ from }) => from.length > 0);
  });
}
