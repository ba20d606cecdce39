import {
  type PaperCase,
  RAMIPRIL,
  drawn,
  privately,
  withDrawn,
  withNotes,
  RIGHT,
  OTHERS,
} from './paper-cases';
import { field, filled, listed, PRESCRIBER, privateForm, SCAN, stamp, stroke, struck, words } from './papers';

/** A false strength that would be right elsewhere. */
const COLUMNS = [
  ...privateForm({ lines: [] }),
  ...listed(60, 200, ['1)', 'Ramipril Tabletten', 'morgens eine', '2,5 mg, 1 OP']),
  ...listed(330, 200, ['2) Bisoprolol', '5 mg, 1 OP', 'abends eine']),
];

export const FALSE_PAPERS: Readonly<Record<string, PaperCase>> = {
  'another medicine': { papers: privately(['Bisoprolol 5 mg 100 St']), alarm: 'missing' },
  'another strength': { papers: privately(['Ramipril 10 mg Tabletten 100 St']), alarm: 'strength' },
  'another strength, in micrograms': {
    ordered: [['Levothyroxin 75 µg', 1]],
    papers: privately(['Levothyroxin 0,1 mg 100 St']),
    alarm: 'strength',
  },
  'a combination in another order': {
    ordered: [['Cannabisblüten Demo 22/1', 15]],
    papers: privately(['Cannabisblüten Demo 1/22 15 g']),
    alarm: 'strength',
  },
  'half a combination': {
    ordered: [['Amoxicillin/Clavulansäure 875/125 mg', 1]],
    papers: privately(['Amoxicillin/Clavulansäure 500 mg/125 mg']),
    alarm: 'strength',
  },
  'a cultivar of another strength': {
    ordered: [['Cannabisblüten Pedanios 22/1 GHS', 15]],
    papers: privately(['Cannabisblüten Pedanios 18/1 15 g']),
    alarm: 'strength',
  },
  'another cultivar': {
    ordered: [['Cannabisblüten Pedanios 22/1 Ghost Train', 15]],
    papers: privately(['Cannabisblüten Bedrocan 22/1 15 g']),
    shows: 'Bedrocan',
  },
  'another medicine of the same maker': {
    ordered: [['Ramipril ratiopharm 5 mg', 1]],
    papers: privately(['Bisoprolol ratiopharm 5 mg 100 St']),
    shows: 'Bisoprolol',
  },
  'the maker only in the foot': {
    ordered: [['Ramipril Weber 5 mg', 1]],
    papers: privately(['Bisoprolol 5 mg 100 St']),
    shows: 'Bisoprolol',
  },
  'the strength in another column': { papers: drawn(COLUMNS), shows: '2,5 mg' },
  'the strength in the line below': {
    papers: privately(['Ramipril Tabletten', '10 mg, 1 OP']),
    shows: '10 mg',
  },
  'the strength in a cell of a table': {
    papers: withDrawn(
      privately([]),
      words(60, 200, 'Ramipril'),
      words(260, 200, '10 mg'),
      words(400, 200, '1 OP'),
    ),
    shows: '10 mg',
  },
  'packs that differ': { papers: privately(['3 OP Ramipril 5 mg']), alarm: 'amount' },
  'pieces that differ': {
    ordered: [['Ramipril 5 mg Tabletten 100 St', 1]],
    papers: privately(['Ramipril 5 mg Tabletten 20 St']),
    alarm: 'amount',
  },
  'grams that differ': {
    ordered: [['Cannabisblüten Demo 22/1', 30]],
    papers: privately(['Cannabisblüten Demo 22/1 15 g']),
    alarm: 'amount',
  },
  'the amount in words': { papers: privately([RAMIPRIL, '(fünf Packungen)']), shows: 'fünf' },
  'another patient': { papers: privately([RAMIPRIL], { patient: 'Vogel, Max' }), alarm: 'nameless' },
  'a patient with a longer name': {
    papers: privately([RAMIPRIL], { patient: 'Bergermann, Anna' }),
    alarm: 'nameless',
  },
  'a relative of the patient': {
    papers: privately([RAMIPRIL], { patient: 'Berger, Otto' }),
    alarm: 'nameless',
  },
  'the name of another letter': {
    customer: 'Anna Bauer',
    papers: privately([RAMIPRIL], { patient: 'Baur, Anna' }),
    alarm: 'nameless',
  },
  'the customer prescribes': {
    papers: privately([RAMIPRIL], { patient: 'Vogel, Max', prescriber: ['Dr. med. Anna Berger', 'Praxis'] }),
    alarm: 'field',
  },
  'the customer is the mother': {
    papers: privately([RAMIPRIL, 'Mutter: Anna Berger'], { patient: 'Berger, Leo' }),
    alarm: 'field',
  },
  'names changed over': {
    customer: 'Peter Hans',
    papers: privately([RAMIPRIL], { patient: 'Peter, Hans' }),
    alarm: 'swapped',
  },
  'born on another day': { born: '1984-03-15', papers: RIGHT, alarm: 'birth' },
  'born in another century': { born: '1884-03-14', papers: RIGHT, alarm: 'birth' },
  'two patients on one sheet': {
    papers: drawn([
      ...privateForm({ lines: ['Ibuprofen 600 mg'] }),
      ...privateForm({ patient: 'Vogel, Max', lines: [RAMIPRIL], y: 440 }),
    ]),
    alarm: 'field',
  },
  'two patients beside each other': {
    papers: drawn([
      ...listed(60, 80, ['Patient: Anna Berger', 'Rp. Ibuprofen 600 mg']),
      ...listed(330, 80, ['Patient: Max Vogel', 'Rp. Ramipril 5 mg']),
    ]),
    alarm: 'twice',
  },
  'the medicine on the page of another': {
    papers: drawn(
      privateForm({ lines: ['Ibuprofen 600 mg'] }),
      listed(60, 80, ['Verordnung', 'Für: Vogel, Max, *12.03.1980', RAMIPRIL]),
    ),
    alarm: 'apart',
  },
  'another page of another patient': {
    papers: drawn(OTHERS, privateForm({ patient: 'Vogel, Max', lines: [RAMIPRIL] })),
    alarm: 'nameless',
  },
  'not prescribed, by a heading': { papers: privately(['Nicht verordnet:', RAMIPRIL]), alarm: 'word' },
  'not prescribed, by words of its own': { papers: privately(['Bitte heute kein', RAMIPRIL]), shows: 'kein' },
  'taken off': { papers: privately(['Abgesetzt:', RAMIPRIL]), shows: 'Abgesetzt' },
  'only when there is none of the other': {
    papers: privately(['Nur falls nicht lieferbar:', RAMIPRIL]),
    shows: 'falls',
  },
  'of an allergy': { papers: privately(['Allergie gegen:', RAMIPRIL]), shows: 'Allergie' },
  'a draft': { papers: withDrawn(RIGHT, words(60, 40, 'Entwurf - nicht unterschrieben')), alarm: 'word' },
  'a copy, in running text': {
    papers: withDrawn(RIGHT, words(60, 760, 'Dies ist eine Kopie des Rezepts.')),
    alarm: 'word',
  },
  'a specimen, large': {
    papers: withDrawn(RIGHT, words(160, 500, '- MUSTER -', { size: 60 })),
    alarm: 'word',
  },
  'cancelled, across the page': {
    papers: withDrawn(RIGHT, words(120, 600, 'Dieses Rezept: storniert', { size: 16, turn: 40 })),
    alarm: 'word',
  },
  'cancelled, letters set apart': {
    papers: withDrawn(RIGHT, words(60, 500, 'U N G Ü L T I G')),
    alarm: 'word',
  },
  'void, in English': { papers: withDrawn(RIGHT, words(60, 500, 'VOID')), alarm: 'word' },
  'a stamp that states it': { papers: withNotes(RIGHT, stamp('UNGÜLTIG', 300, 500)), alarm: 'word' },
  'a silent stamp over the medicine': {
    papers: withNotes(RIGHT, stamp('UNGÜLTIG', 60, 166, { isSilent: true })),
    alarm: 'covered',
  },
  'a free text that states it': {
    papers: withNotes(RIGHT, stamp('storniert', 300, 600, { subtype: 'FreeText' })),
    alarm: 'word',
  },
  'a stamp of a sentence': { papers: withNotes(RIGHT, stamp('Dies ist eine KOPIE', 60, 600)), alarm: 'word' },
  'a silent stamp beside the text': {
    papers: withNotes(RIGHT, stamp('Die KOPIE', 300, 600, { isSilent: true })),
    alarm: 'word',
  },
  'a draft, as a sentence across the page': {
    papers: withDrawn(RIGHT, words(120, 600, 'Das ist ein Entwurf', { size: 16, turn: 40 })),
    alarm: 'word',
  },
  'a specimen for a customer of that name': {
    customer: 'Anna Muster',
    papers: withDrawn(
      privately([RAMIPRIL], { patient: 'Muster, Anna' }),
      words(160, 500, 'MUSTER', { size: 60 }),
    ),
    alarm: 'word',
  },
  'struck out by an annotation': { papers: withNotes(RIGHT, struck(55, 172, 220)), alarm: 'covered' },
  'struck out in the drawing': { papers: withDrawn(RIGHT, stroke(55, 175, 300, 175)), shows: RAMIPRIL },
  'crossed out as a whole': {
    papers: withDrawn(RIGHT, stroke(40, 60, 540, 330), stroke(540, 60, 40, 330)),
    shows: RAMIPRIL,
  },
  'a stamp that is drawn': { papers: withDrawn(RIGHT, filled(55, 165, 200, 14, 0)), shows: RAMIPRIL },
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
  },
  'a picture over its words': {
    papers: drawn([...privateForm({ lines: [RAMIPRIL] }), SCAN]),
    alarm: 'picture',
  },
  'a second page that is a scan': { papers: [...RIGHT, { drawn: [SCAN] }], alarm: 'picture' },
  'a text that has other letters than are drawn': {
    papers: withDrawn(privately([]), words(60, 178, 'Ramipril 8 mg', { font: 'lying' })),
    shows: 'Ramipril',
  },
  'issued tomorrow': { papers: privately([RAMIPRIL], { issued: '26.11.2026' }), alarm: 'issued' },
  'issued long ago': { papers: privately([RAMIPRIL], { issued: '01.07.2026' }), alarm: 'issued' },
  'a narcotic after eight days': {
    papers: privately([RAMIPRIL], { title: 'Betäubungsmittelrezept', issued: '16.11.2026' }),
    alarm: 'issued',
  },
  'turned, with another strength': {
    papers: [{ drawn: privateForm({ lines: ['Ramipril 10 mg'] }), rotate: 90 }],
    alarm: 'strength',
  },
  'lying, of another patient': {
    papers: drawn([
      words(200, 700, 'Patient: Max Vogel', { turn: 90 }),
      words(220, 700, RAMIPRIL, { turn: 90 }),
      words(240, 700, 'Dr. Weber', { turn: 90 }),
    ]),
    alarm: 'nameless',
  },
  'one of two lines of another strength': {
    ordered: [
      ['Ramipril 5 mg', 1],
      ['Bisoprolol 5 mg', 1],
    ],
    papers: privately([RAMIPRIL, 'Bisoprolol 10 mg 100 St']),
    alarm: 'strength',
  },
  'letters of a font that no one knows': {
    papers: drawn(
      listed(60, 80, [
        '3ULYDWUH]HSW',
        '9RJHO0D[ JHE',
        '5DPLSULO PJ 7DEOHWWHQ',
        "'U PHG 6DELQH :HEHU",
        '$XVJHVWHOOW DP',
        '7RUVWUD‰H %HUOLQ',
      ]),
    ),
    alarm: 'picture',
  },
};
