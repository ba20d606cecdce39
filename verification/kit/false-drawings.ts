import { type PaperCase, RAMIPRIL, drawn, privately, withDrawn, withNotes, RIGHT } from './paper-cases';
import {
  crossed,
  field,
  filled,
  listed,
  PRESCRIBER,
  privateForm,
  SCAN,
  stamp,
  stroke,
  struck,
  struckOut,
  words,
} from './papers';

/** False ones by what is drawn, or is not drawn: strokes, fields, pictures, hidden text. */
export const FALSE_DRAWINGS: Readonly<Record<string, PaperCase>> = {
  'struck out by an annotation': {
    papers: withNotes(RIGHT, struck(55, 172, 220)),
    alarm: 'covered',
    shows: RAMIPRIL,
    unlike: RIGHT,
  },
  'struck out by a thin line as an annotation': {
    papers: withNotes(RIGHT, struck(55, 173, 220, { subtype: 'Line', height: 2 })),
    alarm: 'covered',
    shows: RAMIPRIL,
    unlike: RIGHT,
  },
  'struck out by a reader, without a drawing': {
    papers: withNotes(RIGHT, struckOut(55, 167, 220)),
    alarm: 'covered',
    shows: RAMIPRIL,
    unlike: RIGHT,
  },
  'struck out in the drawing': {
    papers: withDrawn(RIGHT, stroke([55, 175], [300, 175])),
    shows: RAMIPRIL,
    unlike: RIGHT,
  },
  'crossed at its left margin': {
    papers: withDrawn(RIGHT, crossed(28, 167)),
    shows: RAMIPRIL,
    unlike: withDrawn(RIGHT, crossed(28, 167, { isWhite: true })),
  },
  'crossed at its right margin': {
    papers: withDrawn(RIGHT, crossed(550, 167)),
    shows: RAMIPRIL,
    unlike: withDrawn(RIGHT, crossed(550, 167, { isWhite: true })),
  },
  'crossed at its margin by an annotation': {
    papers: withNotes(RIGHT, struck(28, 167, 28, { height: 14 })),
    shows: RAMIPRIL,
    unlike: withNotes(RIGHT, stamp('  ', 28, 160, { isSilent: true })),
  },
  'crossed out as a whole': {
    papers: withDrawn(RIGHT, stroke([40, 60], [540, 330]), stroke([540, 60], [40, 330])),
    shows: 'Berger, Anna',
    unlike: RIGHT,
  },
  'a stamp that is drawn': {
    papers: withDrawn(RIGHT, filled([55, 165], [200, 14], 0)),
    shows: RAMIPRIL,
    unlike: RIGHT,
  },
  'a field with another strength': {
    papers: withNotes(privately([]), field('Ramipril 10 mg', 60, 170)),
    alarm: 'strength',
  },
  'a field with another patient': {
    papers: withNotes(
      drawn([
        words(60, 84, 'Name, Vorname des Patienten', { size: 7 }),
        words(60, 178, RAMIPRIL),
        ...listed(60, 220, PRESCRIBER),
      ]),
      field('Vogel, Max', 60, 90),
    ),
    alarm: 'nameless',
  },
  'a scan': { papers: drawn([SCAN]), alarm: 'picture' },
  'a scan behind invisible words': {
    papers: drawn([SCAN, ...listed(60, 80, ['Anna Berger', RAMIPRIL, ...PRESCRIBER], { mode: 3 })]),
    alarm: 'picture',
    shows: RAMIPRIL,
    unlike: drawn([SCAN, ...listed(60, 80, ['Anna Berger', RAMIPRIL, ...PRESCRIBER])]),
  },
  'a picture over its words': {
    papers: drawn([...privateForm({ lines: [RAMIPRIL] }), SCAN]),
    alarm: 'picture',
  },
  'a second page that is a scan': { papers: [...RIGHT, { drawn: [SCAN] }], alarm: 'picture' },
  'a text that has other letters than are drawn': {
    papers: withDrawn(privately([]), words(60, 178, 'Ramipril 8 mg', { font: 'lying' })),
    shows: 'Ramipril',
    like: privately(['Ramipril 8 mg']),
    unlike: privately(['Ramipril 5 mg']),
  },
  'a field that draws another strength than its value': {
    papers: withNotes(privately([]), field('Ramipril 5 mg', 60, 170, { drawn: 'Ramipril 10 mg' })),
    shows: 'Ramipril',
    like: withNotes(privately([]), field('Ramipril 10 mg', 60, 170)),
    unlike: withNotes(privately([]), field('Ramipril 5 mg', 60, 170)),
  },
  'a field that draws nothing': {
    papers: withNotes(
      privately(['Bisoprolol 5 mg']),
      field('Ramipril 5 mg Tabletten', 60, 210, { drawn: '' }),
    ),
    alarm: 'ink',
  },
  'the medicine in a hidden field': {
    papers: withNotes(
      privately(['Bisoprolol 5 mg']),
      field('Ramipril 5 mg Tabletten', 60, 210, { isHidden: true }),
    ),
    alarm: 'missing',
  },
  'the name in a hidden field': {
    papers: withNotes(
      privately([RAMIPRIL], { patient: 'Vogel, Max' }),
      field('Berger, Anna', 60, 90, { isHidden: true }),
    ),
    alarm: 'nameless',
  },
  'the medicine in white': {
    papers: withDrawn(privately(['Bisoprolol 5 mg 100 St']), words(60, 210, RAMIPRIL, { isWhite: true })),
    alarm: 'ink',
  },
  'the medicine under white paint': {
    papers: withDrawn(
      privately([RAMIPRIL]),
      filled([50, 166], [300, 18], 1),
      words(60, 226, 'Bisoprolol 5 mg'),
    ),
    alarm: 'ink',
  },
  'the medicine outside of the page': {
    papers: withNotes(
      withDrawn(privately(['Bisoprolol 5 mg 100 St']), words(60, 870, RAMIPRIL)),
      field(RAMIPRIL, 60, 870),
    ),
    alarm: 'missing',
  },
};
