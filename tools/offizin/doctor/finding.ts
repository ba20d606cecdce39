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

/** One line a finding, and its advice below it. */
export function lineOf({ of, outcome, found, advice }: Finding): string {
  const mark = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM', skipped: 'skipped' }[outcome];
  return `${mark}  ${of}: ${found}${advice ? `\n         → ${advice}` : ''}`;
}
