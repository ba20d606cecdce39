import { styled, visible } from '../output';

/** Result of one check, with advice for a problem. */
export interface Finding {
  /** The checked part. */
  of: string;
  outcome: 'ok' | 'warning' | 'problem' | 'skipped';
  found: string;
  /** Set when there is a problem. */
  advice?: string;
}

export function ok(of: string, found: string): Finding {
  return { of, outcome: 'ok', found };
}

export function warning(of: string, found: string, advice: string): Finding {
  return { of, outcome: 'warning', found, advice };
}

export function problem(of: string, found: string, advice: string): Finding {
  return { of, outcome: 'problem', found, advice };
}

export function skipped(of: string, found: string): Finding {
  return { of, outcome: 'skipped', found };
}

const MARKS = {
  ok: ['green', 'ok     '],
  warning: ['yellow', 'WARNING'],
  problem: ['red', 'PROBLEM'],
  skipped: ['gray', 'skipped'],
} as const;

/** One line a finding, and its advice below it. */
export function lineOf({ of, outcome, found, advice }: Finding): string {
  const [colour, text] = MARKS[outcome];
  const mark = styled(colour, text);
  return `${mark}  ${visible(`${of}: ${found}`)}${advice ? `\n         → ${visible(advice)}` : ''}`;
}
