import type { Entry } from './audit.calls';
import { foldOpenings } from './folded-openings';

/** As `who action object`, newest first; ids count from 1. */
function shown(lines: readonly string[], unfolded: readonly string[] = []): string[] {
  const entries = lines.map((line, at): Entry => {
    const [actor = '', action = '', object = ''] = line.split(' ');
    const position = at + 1;
    return { id: String(position), position, at: '', actor, action, object, request_id: '' };
  });
  const rows = foldOpenings(entries, new Set(unfolded));
  return rows.map(({ id, openings }) => `${id}: ${openings.map((opening) => opening.id).join(' ')}`);
}

const [VIEW, READ] = ['prescription.view', 'prescription.read'];
const PAPER = 'order-request:1:document:1';

it.each([
  [
    'openings of one document by one person, also with others between them',
    [`a ${VIEW} ${PAPER}`, `b ${VIEW} ${PAPER}`, `a ${VIEW} order-request:2`, `a ${VIEW} ${PAPER}`],
    ['1: 1 4', '2: 2', '3: 3'],
  ],
  ['not two ways of opening', [`a ${VIEW} ${PAPER}`, `a ${READ} ${PAPER}`], ['1: 1', '2: 2']],
  [
    'not two documents of a request',
    [`a ${VIEW} ${PAPER}`, `a ${VIEW} order-request:1:document:2`],
    ['1: 1', '2: 2'],
  ],
  [
    'not what a decision lies between',
    [`a ${VIEW} ${PAPER}`, 'b order-request.approve order-request:1', `a ${VIEW} ${PAPER}`],
    ['1: 1', '2: 2', '3: 3'],
  ],
  [
    'not two versions of a request, nor what a decision lies between',
    [
      'a order-request.read order-request:1:version:2',
      'b order-request.approve order-request:1',
      'a order-request.read order-request:1:version:2',
      'a order-request.read order-request:1:version:1',
    ],
    ['1: 1', '2: 2', '3: 3', '4: 4'],
  ],
  ['no changes', ['a order.note order:1', 'a order.note order:1'], ['1: 1', '2: 2']],
])('folds into one row %s', (_, lines, rows) => {
  expect(shown(lines)).toEqual(rows);
});

it('shows the openings of an unfolded row one by one, each with all of them', () => {
  const lines = [`a ${VIEW} ${PAPER}`, `a ${VIEW} ${PAPER}`, `b ${VIEW} ${PAPER}`, `b ${VIEW} ${PAPER}`];
  expect(shown(lines, ['1'])).toEqual(['1: 1 2', '2: 1 2', '3: 3 4']);
});
