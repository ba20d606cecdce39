import { alarmKind } from './proof';

it.each([
  ['["paper","birth",{"on":"1980-01-02","instead":"Erika"}]', 'paper.birth'],
  ['["hint","used",{"times":2}]', 'hint.used'],
  ['["mark","dose_plausible"]', 'mark.dose_plausible'],
  ['["edits",2,3]', 'edits'],
  ['["more",41]', 'more'],
  ['["paper","Erika Mustermann"]', 'paper'],
  ['["erika","mustermann"]', 'text'],
  ['Erika Mustermann rang', 'text'],
  ['', 'text'],
])('of what an approval acknowledged as %s a proof says %s', (kept, kind) => {
  expect(alarmKind(kept)).toBe(kind);
});
