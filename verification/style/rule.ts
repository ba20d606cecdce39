/** A file of the tree. The path counts from the root of the tree, with `/`. */
export interface TreeFile {
  path: string;
  text: string;
}

export interface Finding {
  path: string;
  /** From 1. */
  line: number;
  rule: string;
  message: string;
}

/** Looks at each file alone. */
export interface FileRule {
  name: string;
  appliesTo: (path: string) => boolean;
  check: (file: TreeFile) => Omit<Finding, 'path' | 'rule'>[];
}

/** Looks at the tree as a whole: missing files, and the places of files. */
export interface TreeRule {
  name: string;
  check: (files: TreeFile[]) => Omit<Finding, 'rule'>[];
}

export const isCode = (path: string): boolean =>
  /^(?:apps|libs|tools|verification|clients)\/.*\.tsx?$/.test(path);
/** The browser app is of another kind: no module of Nest, but pages. */
export const isOfConsole = (path: string): boolean => path.startsWith('apps/console/');
export const isSpec = (path: string): boolean => path.endsWith('.spec.ts');

/** A rule that finds a pattern on single lines. The pattern must not match its own source: this file is checked too. */
export function lineRule(
  name: string,
  pattern: RegExp,
  message: string,
  appliesTo: (path: string) => boolean,
): FileRule {
  return {
    name,
    appliesTo,
    check: ({ text }) =>
      text.split('\n').flatMap((line, index) => (pattern.test(line) ? [{ line: index + 1, message }] : [])),
  };
}
