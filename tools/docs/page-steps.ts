/** A page that leads through edits: each step is a block to apply, then a block with the complaints that remain. */
export interface PageStep {
  heading: string;
  apply: { kind: 'diff' | 'sh'; text: string };
  complaints: string[];
}

export interface FileEdit {
  path: string;
  hunks: { before: string; after: string }[];
}

const NOTHING = 'nothing is missing';

export function stepsOf(page: string): PageStep[] {
  return page
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [apply, complaints] = [...section.matchAll(/^```(diff|sh|text)\n([^]*?)^```$/gm)];
      if (!apply) return [];
      const heading = section.slice(0, section.indexOf('\n'));
      const [, kind, text = ''] = apply;
      if (kind === 'text' || complaints?.[1] !== 'text')
        throw new Error(`"${heading}" must have a block to apply, then a text with the complaints`);
      const lines = (complaints[2] ?? '').trimEnd().split('\n');
      const named = lines.filter((line) => line !== NOTHING);
      return [{ heading, apply: { kind: kind === 'diff' ? 'diff' : 'sh', text }, complaints: named }];
    });
}

/** A diff without line numbers: `+++ path`, then hunks with `@@` between them. */
export function editOf(diff: string): FileEdit {
  const [head = '', ...lines] = diff.trimEnd().split('\n');
  if (!head.startsWith('+++ ')) throw new Error(`a diff begins with +++ and a path, not with ${head}`);
  const hunks = lines
    .join('\n')
    .split(/^@@$\n/m)
    .map((hunk) => ({ before: side(hunk, '-'), after: side(hunk, '+') }));
  return { path: head.slice('+++ '.length), hunks };
}

function side(hunk: string, sign: '-' | '+'): string {
  const lines = hunk.replace(/\n$/, '').split('\n');
  const kept = lines.filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign));
  return kept.map((line) => `${line.slice(1)}\n`).join('');
}

/** Throws unless each hunk fits exactly one place. */
export function edited(text: string, { path, hunks }: FileEdit): string {
  return hunks.reduce((result, { before, after }) => {
    const places = `\n${result}`.split(`\n${before}`).length - 1;
    if (places !== 1)
      throw new Error(`a hunk for ${path} fits ${places} places; correct the page:\n${before}`);
    // A function, because `$` in a replacement text has a meaning.
    return `\n${result}`.replace(`\n${before}`, () => `\n${after}`).slice(1);
  }, text);
}
