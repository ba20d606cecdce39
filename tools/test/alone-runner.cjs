const { default: TestRunner } = require('jest-runner');

/** Runs one spec file after the other, in Jest's own process. */
module.exports = class AloneRunner extends TestRunner {
  isSerial = true;
};
