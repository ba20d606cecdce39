/**
 * Who may import whom: the projects of this tree by Nx tag (`mayDependOn`), and the packages that have one home only
 * (`homes`). eslint.config.mjs puts it in force; tools/wrong holds a wrong example of each line.
 */

// ---- projects: what each library may see; imports go down only ----
const mayDependOn = {
  'lib:contracts': [],
  'lib:runtime': ['lib:contracts'],
  'lib:bus': ['lib:contracts', 'lib:runtime'],
  'lib:pg': ['lib:contracts', 'lib:runtime'],
  'lib:egress': ['lib:contracts', 'lib:runtime'],
  'lib:directory': ['lib:contracts', 'lib:runtime', 'lib:bus'],
  'lib:http-edge': ['lib:contracts', 'lib:runtime', 'lib:bus', 'lib:directory'],
  'lib:local-stack': ['lib:contracts', 'lib:runtime'],
};
const appLibraries = Object.keys(mayDependOn).filter((tag) => tag !== 'lib:local-stack');

// ---- packages with one home; `typesIn` may import their types only ----
const stores = ['apps/*/db/**', 'apps/**/*.store.ts'];
const testSide = ['libs/testkit/**', 'tools/**', 'e2e/**'];
const homes = [
  { packages: ['nats', '@nats-io'], in: ['libs/bus/**'], reason: 'only libs/bus speaks NATS' },
  {
    packages: ['typeorm'],
    in: ['libs/pg/**', ...stores, '**/*.db.spec.ts', ...testSide],
    reason: 'SQL lives in *.store.ts and db/, the connection in libs/pg',
  },
  {
    packages: ['pg'],
    in: ['libs/pg/**', 'libs/local-stack/**', ...testSide],
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

/** `no-restricted-imports` for the files to which exactly these homes are closed. */
function restrictedImports(closedHomes) {
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
      ],
    },
  ];
}

/**
 * Later entries replace a rule's options, so each combination of open homes needs an entry of its own: from all homes
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
    { files: ['**/*.ts'], rules: { '@typescript-eslint/no-restricted-imports': restrictedImports(homes) } },
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
  const library = Object.entries(mayDependOn).map(([sourceTag, tags]) => ({
    sourceTag,
    onlyDependOnLibsWithTags: [...tags, ...also],
  }));
  return [
    'error',
    {
      allow,
      depConstraints: [
        ...library,
        { sourceTag: 'lib:testkit', onlyDependOnLibsWithTags: ['type:lib'] },
        { sourceTag: 'type:app', onlyDependOnLibsWithTags: [...appLibraries, ...also] },
        { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['*'] },
      ],
      // A library's spec imports the testkit, which imports that library. The tags above allow no other cycle.
      ignoredCircularDependencies: [['testkit', '*']],
    },
  ];
}
