import type { ReviewDetail } from '@offizin/contracts/review';

export const MARK_NAMES = ['signature_seen', 'prescriber_checked', 'dose_plausible'] as const;
export type MarkName = (typeof MARK_NAMES)[number];

/** The marks that a request still needs. Only a line with THC needs them. */
export function openMarks({ lines, marks }: Pick<ReviewDetail, 'lines' | 'marks'>): MarkName[] {
  const needsMarks = lines.some(({ thc }) => thc !== null && Number(thc.replace(',', '.')) > 0);
  return needsMarks ? MARK_NAMES.filter((name) => !marks[name]) : [];
}
