import { FileRule, isOfConsole, isSpec, lineRule, TreeFile } from './rule';

// The patterns below are written so that they do not match themselves: [O] for O.

const isScript = (path: string): boolean => /\.(?:tsx?|mjs|cjs|js)$/.test(path);
const isAnyText = (): boolean => true;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Styles, pages and markup of the console, but for its one list of colours. */
const isLook = (path: string): boolean =>
  isOfConsole(path) &&
  /\.(?:tsx?|css|html)$/.test(path) &&
  !/^apps\/console\/theme\.css$|\.spec\.ts$/.test(path);

/** A colour by its number, by a function, or by a common name in a style. */
const colour =
  /:[^;/]*#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})\b|['"`]#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})['"`]|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|light-dark)\(|\b(?:color|background|border|outline|fill|stroke|shadow)[\w-]*['"]?\s*[:=][^;]*\b(?:white|black|r[e]d|green|blue|gr[ae]y|yellow|orange|silver|navy|teal|purple|pink|brown)\b/i;

/** All pages have one of the shared heads, but for those before signing in and the review beside its list. */
const hasSharedHead = (path: string): boolean =>
  isOfConsole(path) &&
  !/^apps\/console\/(?:controls\/|messages\/fault\.tsx|signing-in\/card\.tsx|requests\/review\/review-head\.tsx)/.test(
    path,
  );

/** A wait of fixed length: too short on a slow machine, too long on every other. */
const fixedSleep =
  /(?<![.\w])(?:sleep|delay)\([^)]|\bnew Promise(?:<\w+>)?\(\s*\(?\w*\)?\s*=>\s*\{?\s*setTimeout\(|\bawait setTimeout\(/;

/** The pause between two looks at a condition is not a fixed sleep: it is at most three lines into a `while`. */
const inPollingLoop = /\bwhile \((?!true)[^\n]*\n(?:[^\n]*\n){0,3}[^\n]*$/;

/** Looks over line breaks, as prettier may put the timer on a separate line. */
function fixedSleeps({ text }: TreeFile): ReturnType<FileRule['check']> {
  const everywhere = new RegExp(fixedSleep, 'g');
  return [...text.matchAll(everywhere)]
    .map((match) => text.slice(0, match.index))
    .filter((before) => !inPollingLoop.test(before))
    .map((before) => ({
      line: before.split('\n').length,
      message: 'a fixed sleep: wait for the condition, with a deadline',
    }));
}

/**
 * Paths of the machine on which the tree happens to be, and of home folders anywhere. `node` is the user of the
 * official container image.
 */
export function machinePathRule(root: string): FileRule {
  const parent = root.slice(0, root.lastIndexOf('/'));
  const own = [root, ...(parent === '' ? [] : [parent])].map(escaped).join('|');
  const pattern = new RegExp(`(?<![\\w./-])(?:(?:${own})/|/home/(?!node/)\\w|/Users/\\w|/ro[o]t/)`);
  return lineRule('machine-path', pattern, 'a path of one developer’s machine', isAnyText);
}

export const textRules: FileRule[] = [
  lineRule(
    'open-mark',
    /\b(?:T[O]DO|F[I]XME|X[X]X|H[A]CK)\b/,
    'do it, or write an issue and leave no mark here',
    (path) => isScript(path) || /\.(?:md|ya?ml|json|sh|sql)$/.test(path),
  ),
  lineRule('colour', colour, 'colours are in apps/console/theme.css: use one of its names', isLook),
  lineRule(
    'raw-html',
    /dangerously[S]etInnerHTML|\.(?:inner|outer)[H]TML\b|insertAdjacent[H]TML/,
    'the console writes no HTML: render elements',
    isLook,
  ),
  lineRule('own-heading', /<[h]1\b/, 'the head of a page is PageHead, ListHead or EmptyState', hasSharedHead),
  { name: 'fixed-sleep', appliesTo: isSpec, check: fixedSleeps },
  lineRule(
    'unexplained-disable',
    /(?:\/[/*]|^\s*\*)\s*es[l]int-disable(?!.* -- .{10,})/,
    'say why the rule does not hold here: ` -- reason`',
    isScript,
  ),
  lineRule('temporary-path', /['"`]\/t[m]p\//, 'ask the system for its folder: os.tmpdir()', isScript),
];
