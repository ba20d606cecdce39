const { readFileSync } = require('node:fs');

const swc = JSON.parse(readFileSync(`${__dirname}/.swcrc`, 'utf8'));
delete swc.$schema;

const FOLDERS = ['apps', 'libs', 'tools', 'verification', 'clients'];

/** `kind` is a regular expression of the end of a file's name before `.spec.ts`. */
const project = (displayName, kind, own = {}) => ({
  displayName,
  rootDir: __dirname,
  roots: FOLDERS.map((folder) => `<rootDir>/${folder}`),
  testRegex: `${kind}\\.spec\\.ts$`,
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.nx', '<rootDir>/.data'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, jsc: { ...swc.jsc, baseUrl: __dirname } }],
  },
  testEnvironment: 'node',
  ...own,
});

const database = {
  globalSetup: '<rootDir>/tools/test/servers/database.ts',
  globalTeardown: '<rootDir>/tools/test/servers/stop.ts',
};
const stack = {
  globalSetup: '<rootDir>/tools/test/servers/stack.ts',
  globalTeardown: '<rootDir>/tools/test/servers/stop.ts',
};
/** One file at a time, and nothing beside: it judges time, or it kills processes. */
const alone = { runner: '<rootDir>/tools/test/alone-runner.cjs' };

/**
 * A project starts what its specs need, and nothing when none of them is selected. `npm test` (tools/test) runs the
 * projects in the phases of tools/test/phases.ts.
 */
module.exports = {
  // On two cores: every third moment a spec waits for a process, a timer or a lock.
  maxWorkers: 3,
  testSequencer: './tools/test/longest-first.cjs',
  testTimeout: 60_000 * Math.max(1, Number(process.env.OFFIZIN_SLOWNESS ?? 1)),
  coverageProvider: 'v8',
  projects: [
    project('unit', '(?<!\\.(db|e2e|browser|stack|fault|alone))'),
    project('database', '\\.db', database),
    project('stories', '(?<!\\.alone)\\.(e2e|browser)', stack),
    project('stories-alone', '\\.alone\\.(e2e|browser)', { ...stack, ...alone }),
    project('own-stacks', '\\.stack', alone),
  ],
};
