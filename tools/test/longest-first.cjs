const { default: Sequencer } = require('@jest/test-sequencer');

/** Jest knows no durations in a fresh clone and orders by size; a long file that begins last leaves one worker idle. */
const LONGEST = [
  /signed-in-pages/,
  /\.browser\.spec\.ts$/,
  /(core-proxy|parse-large-body|event-stream|outbox-relay)\./,
];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one.path) - rankOf(other.path));
  }
};

function rankOf(path) {
  const rank = LONGEST.findIndex((name) => name.test(path));
  return rank === -1 ? LONGEST.length : rank;
}
