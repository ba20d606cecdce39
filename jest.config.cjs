const { readFileSync } = require('node:fs');

const swc = JSON.parse(readFileSync(`${__dirname}/.swcrc`, 'utf8'));
delete swc.$schema;

/** Run by `npm test` (tools/test), which starts the real servers that the database and end-to-end tests use. */
module.exports = {
  rootDir: __dirname,
  testMatch: ['<rootDir>/{apps,libs,tools,verification,e2e,clients}/**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.nx', '<rootDir>/.data'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, jsc: { ...swc.jsc, baseUrl: __dirname } }],
  },
  testEnvironment: 'node',
  coverageProvider: 'v8',
  maxWorkers: 2,
  testSequencer: './tools/test/longest-first.cjs',
  testTimeout: 60_000,
};
