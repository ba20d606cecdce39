import ts from 'typescript';
import { FileRule, isCode, isSpec, TreeFile } from './rule';

/** House style: what does not fit on a few screens is two things. Specs are lists of cases, so they may be longer. */
const fileLinesAtMost = 300;
const specLinesAtMost = 400;
const functionLinesAtMost = 60;
const readmeLinesAtMost = 80;

const lineCount = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

function atMost(limitOf: (path: string) => number): FileRule['check'] {
  return ({ path, text }) => {
    const lines = lineCount(text);
    const limit = limitOf(path);
    return lines > limit ? [{ line: limit + 1, message: `${lines} lines, at most ${limit}` }] : [];
  };
}

/** `describe` and its kin only group cases; each case inside is measured by itself. */
function isGroupOfCases(node: ts.Node): boolean {
  const call = node.parent;
  return ts.isCallExpression(call) && /^describe\b/.test(call.expression.getText());
}

function longFunctions({ path, text }: TreeFile): ReturnType<FileRule['check']> {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const findings: ReturnType<FileRule['check']> = [];

  function visit(node: ts.Node): void {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && !isGroupOfCases(node)) {
      const first = lineOf(node.getStart(source));
      const lines = lineOf(node.getEnd()) - first + 1;
      if (lines > functionLinesAtMost) {
        const name = node.name?.getText(source) ?? 'a function';
        findings.push({ line: first, message: `${name} has ${lines} lines, at most ${functionLinesAtMost}` });
      }
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
  return findings;
}

export const sizeRules: FileRule[] = [
  {
    name: 'file-length',
    appliesTo: isCode,
    check: atMost((path) => (isSpec(path) ? specLinesAtMost : fileLinesAtMost)),
  },
  { name: 'function-length', appliesTo: isCode, check: longFunctions },
  {
    name: 'readme-length',
    appliesTo: (path) => /(?:^|\/)README\.md$/.test(path),
    check: atMost(() => readmeLinesAtMost),
  },
];
