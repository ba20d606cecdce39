import type { ReviewLine, ReviewMarks } from '@offizin/contracts/requests/review';
import { MARK_NAMES, openMarks, withChange, withoutChange } from './open-marks';

describe('marks that are still needed', () => {
  const marks: ReviewMarks = {
    issued_on: null,
    signature_seen: false,
    prescriber_checked: false,
    dose_plausible: false,
    note: null,
    document_kind: null,
    rest_not_needed: false,
    colleagues: [],
  };
  const asked = { marks: [...MARK_NAMES], marks_only_for_thc: true };
  const line = (thc: string | null) => ({ thc }) as ReviewLine;

  it.each([null, '0', '0,0', '< 1'])('asks for no mark when a line has THC %p', (thc) => {
    expect(openMarks({ lines: [line(thc)], marks }, asked, null)).toEqual([]);
  });

  it.each(['18', '0,2', '0.2'])('asks for every mark when one line has THC %p', (thc) => {
    const lines = [line(null), line(thc)];
    expect(openMarks({ lines, marks }, asked, 'private')).toEqual([
      'signature_seen',
      'prescriber_checked',
      'dose_plausible',
    ]);
    expect(openMarks({ lines, marks: { ...marks, signature_seen: true } }, asked, null)).toHaveLength(2);
    expect(openMarks({ lines, marks }, asked, 'electronic')).not.toContain('signature_seen');
  });

  it('asks for the marks that the organization has chosen, for every request where it has chosen so', () => {
    const chosen = { marks: ['dose_plausible' as const], marks_only_for_thc: false };
    expect(openMarks({ lines: [line(null)], marks }, chosen, null)).toEqual(['dose_plausible']);
    expect(openMarks({ lines: [], marks: { ...marks, dose_plausible: true } }, chosen, null)).toEqual([]);
  });
});

describe('a change of a mark', () => {
  const UNSET = {
    issued_on: null,
    signature_seen: false,
    prescriber_checked: false,
    dose_plausible: false,
    note: null,
    document_kind: null,
    rest_not_needed: false,
    colleagues: [],
  };

  it('shows a change immediately, without the version that it is about', () => {
    const shown = withChange(UNSET, { signature_seen: true, version: 3 });
    expect(shown).toEqual({ ...UNSET, signature_seen: true });
  });

  it('takes back a refused change alone', () => {
    const first = { signature_seen: true, version: 1 };
    const shown = withChange(withChange(UNSET, first), { dose_plausible: true, version: 1 });
    expect(withoutChange(shown, first, UNSET)).toEqual({ ...UNSET, dose_plausible: true });
  });
});
