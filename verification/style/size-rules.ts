import { FileRule } from './rule';

const README_LINES_AT_MOST = 80;

/** ESLint limits the lines of code files and functions; this is what it does not read. */
export const sizeRules: FileRule[] = [
  {
    name: 'readme-length',
    appliesTo: (path) => /(?:^|\/)README\.md$/.test(path),
    check: ({ text }) => {
      const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
      if (lines <= README_LINES_AT_MOST) return [];
      const message = `${lines} lines, at most ${README_LINES_AT_MOST}`;
      return [{ line: README_LINES_AT_MOST + 1, message }];
    },
  },
];
