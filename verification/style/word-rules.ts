import type { FileRule, TreeFile } from './rule';

interface RefusedWord {
  /** A space also matches a line break inside a comment. Must not match its own source: [o] for o. */
  refused: RegExp;
  instead: string;
}

const PROGRAM =
  '(?:apps?|broker|catalog|code|compiler|connector-edge|console|database|gateway|order-core|process|program|server|service|spec|test|tool|webhook-worker|worker)';
const COMPARISON = '(?:better|earlier|fewer|later|less|longer|matter|more|older|one|other|such)';

/** Words with two meanings, and phrases that a native engineer would not write. One list for code, texts and pages. */
export const refusedWords: readonly RefusedWord[] = [
  { refused: /\bat [o]nce\b/i, instead: '"immediately", or "concurrently" and "together"' },
  { refused: /\ba[n]ew\b/i, instead: '"again", or a verb with re-' },
  { refused: /\b(?:is|are|was|were|be|been|stays?) a[w]ay\b/i, instead: '"is unreachable"' },
  { refused: /\bhe[a]r(?:s|d)? (?:of|why)\b/i, instead: '"is notified of", "is told why"' },
  {
    refused: new RegExp(`\\b${PROGRAM} s[a]ys\\b(?!:)`, 'i'),
    instead: '"states", "returns", "reports" or "publishes"',
  },
  {
    refused: /\b(?:it|test|describe)\(['"`]s[a]ys\b/,
    instead: '"states", "returns", "reports" or "publishes"',
  },
  {
    refused: new RegExp(`(?<!\\bthere )\\b(?:is|are|was|were) n[o] (?!${COMPARISON}\\b)[a-z]`, 'i'),
    instead: '"is not a …"',
  },
  { refused: /\bbefore the [e]yes\b/i, instead: '"viewed"' },
  { refused: /\bwhom no[b]ody is told\b/i, instead: '"sends no events"' },
  { refused: /\bkinds? of no[t]hing\b/i, instead: '"empty states"' },
  { refused: /\bcalled l[i]ke\b/i, instead: '"may share the name of"' },
  { refused: /\bg(?:ive|ives|ave|iven|iving) w[a]y\b/i, instead: '"yields"' },
  { refused: /\bh(?:ands|anded|anding) [o]n\b/i, instead: '"passes on"' },
  { refused: /\bst(?:and|ands|ood|anding) [i]n\b/i, instead: '"is in"' },
  { refused: /\bwho[e]ver\b/i, instead: 'the subject: caller, person, replica' },
  {
    refused: /\b(?:interface|type|class|function) (?:Manner|Surroundings|World|Shown|Sent|Taken)\b/,
    instead: 'a name for what the type holds',
  },
  {
    refused: /\bse[a]led\b.*(?:cipher|[cn]rypt)|(?:cipher|[cn]rypt).*\bse[a]led\b/i,
    instead: '"encrypted"; the audit chain alone has seals',
  },
  {
    refused: /\bcl[a]im(?:s|ed|ing)? (?:\w+ )?deliver(?:y|ies)\b|\bdeliver(?:y|ies) (?:\w+ )?cl[a]im/i,
    instead: '"lease"; only stock is claimed',
  },
  { refused: /\bunm[a]rked\b|\bm[a]rked rows?\b/i, instead: '"published"; only a pharmacist marks' },
];

/** Between two words of a phrase: a space, or the line break of a comment. */
const GAP = String.raw`(?: |\s*\n\s*(?:\*|\/\/|--)? ?)`;

function refusedIn({ text }: TreeFile): ReturnType<FileRule['check']> {
  return refusedWords.flatMap(({ refused, instead }) => {
    const everywhere = new RegExp(refused.source.replaceAll(' ', GAP), `${refused.flags}g`);
    return [...text.matchAll(everywhere)].map((match) => ({
      line: text.slice(0, match.index).split('\n').length,
      message: `write ${instead} for "${match[0].replace(/\s+(?:\*|\/\/|--)?\s*/g, ' ')}"`,
    }));
  });
}

export const refusedWord: FileRule = {
  name: 'refused-word',
  appliesTo: (path) => /\.(?:tsx?|sql|md)$/.test(path),
  check: refusedIn,
};
