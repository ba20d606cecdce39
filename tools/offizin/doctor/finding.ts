/** What one look found: that it is well, or what is wrong and what to do about it. */
export interface Finding {
  /** What was looked at. */
  of: string;
  outcome: 'ok' | 'warning' | 'problem' | 'skipped';
  found: string;
  /** What to do; there is none where all is well. */
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

/** One line a finding, and its advice below it. */
export function lineOf({ of, outcome, found, advice }: Finding): string {
  const mark = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM', skipped: 'skipped' }[outcome];
  return `${mark}  ${of}: ${found}${advice ? `\n         → ${advice}` : ''}`;
}
