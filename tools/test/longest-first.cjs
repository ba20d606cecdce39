const { default: Sequencer } = require('@jest/test-sequencer');

/** Without recorded durations Jest starts the largest file first, and ends with one worker on the long fault suite. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one.path) - rankOf(other.path));
  }
};

const KINDS = ['chaos.e2e.spec.ts', '.browser.spec.ts', '.stack.spec.ts', '.e2e.spec.ts', '.db.spec.ts'];

function rankOf(path) {
  const rank = KINDS.findIndex((ending) => path.endsWith(ending));
  return rank === -1 ? KINDS.length : rank;
}
