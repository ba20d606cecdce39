import { withChange, withoutChange } from './marks-change';

const UNSET = {
  issued_on: null,
  signature_seen: false,
  prescriber_checked: false,
  dose_plausible: false,
  note: null,
  by: null,
  at: null,
};

it('shows a change at once, without the version that it is about', () => {
  const shown = withChange(UNSET, { signature_seen: true, version: 3 });
  expect(shown).toEqual({ ...UNSET, signature_seen: true });
});

it('takes back a refused change alone', () => {
  const first = { signature_seen: true, version: 1 };
  const shown = withChange(withChange(UNSET, first), { dose_plausible: true, version: 1 });
  expect(withoutChange(shown, first, UNSET)).toEqual({ ...UNSET, dose_plausible: true });
});
