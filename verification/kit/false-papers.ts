import { FALSE_DRAWINGS } from './false-drawings';
import {
  type PaperCase,
  RAMIPRIL,
  drawn,
  ePrescription,
  ofPatient,
  privately,
  withDrawn,
  withNotes,
  RIGHT,
  OTHERS,
} from './paper-cases';
import { daysAgo, ISSUED, listed, privateForm, stamp, statutoryForm, words } from './papers';

/** A false strength that would be right elsewhere. */
const COLUMNS = [
  ...privateForm({ lines: [] }),
  ...listed(60, 200, ['1)', 'Ramipril Tabletten', 'morgens eine', '2,5 mg, 1 OP']),
  ...listed(330, 200, ['2) Bisoprolol', '5 mg, 1 OP', 'abends eine']),
];

const EARLIER = [
  'Bisherige Medikation',
  'ASS 100 mg',
  'Metformin 1000 mg',
  'Simvastatin 20 mg',
  'Pantoprazol 40 mg',
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
  'a relative with the name before the marriage': {
    customer: 'Anna Berger, geb. Vogel',
    papers: privately([RAMIPRIL], { patient: 'Vogel, Max' }),
    alarm: 'nameless',
  },
  'a relative with a part of a double name': {
    customer: 'Anna Berger-Vogel',
    papers: privately([RAMIPRIL], { patient: 'Berger, Otto' }),
    alarm: 'nameless',
  },
  'half of a double name': {
    customer: 'Anna Berger-Vogel',
    papers: privately([RAMIPRIL], { patient: 'Vogel, Anna' }),
    alarm: 'field',
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
  'born in another century': {
    born: '1904-03-14',
    papers: privately([RAMIPRIL], { born: '14.03.2004' }),
    alarm: 'birth',
  },
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
    shows: RAMIPRIL,
    unlike: RIGHT,
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
  ...FALSE_DRAWINGS,
  'only among earlier medicines, in another column': {
    papers: withDrawn(
      privately([]),
      ...listed(60, 200, ['Verordnung', 'Bisoprolol 5 mg 100 St', '1-0-1']),
      ...listed(330, 200, [...EARLIER, 'Ramipril 5 mg']),
    ),
    shows: 'Bisherige Medikation',
  },
  'taken off, in a letter of discharge': {
    papers: drawn(
      listed(60, 60, [
        'Entlassbrief',
        'Patientin: Anna Berger, geboren am 14.03.1984',
        'Medikation bei Entlassung:',
        'Bisoprolol 2,5 mg 1-0-1',
        'Pantoprazol 40 mg 1-0-0',
        'Nicht mehr einnehmen:',
        'Ibuprofen 600 mg',
        'Novaminsulfon 500 mg',
        'Allopurinol 100 mg',
        'Diclofenac 75 mg',
        'Ramipril 5 mg',
        'Dr. med. Otto Klein',
      ]),
    ),
    born: '1984-03-14',
    shows: 'Nicht mehr einnehmen',
  },
  'paused, in a cell of its row': {
    papers: withDrawn(
      privately([]),
      ...['Ramipril', '5 mg', '1-0-0-0', 'pausiert'].map((cell, at) => words(60 + at * 110, 200, cell)),
    ),
    shows: 'pausiert',
  },
  'a strength of the next medicine only': {
    papers: privately(['Ramipril', 'Bisoprolol 5 mg 1-0-1']),
    shows: 'Bisoprolol',
  },
  'a printout of three other medicines': {
    papers: ePrescription(
      '1x Bisoprolol 2,5 mg Tabletten N3',
      '1x Torasemid 10 mg Tabletten N3',
      '1x Metformin 1000 mg Tabletten N3',
    ),
    alarm: 'missing',
  },
  'another strength, in English': {
    papers: drawn(
      listed(60, 60, [
        'Private prescription',
        'Patient: Anna Berger',
        `Date: ${ISSUED.replaceAll('.', '/')}`,
        'Ramipril 10mg capsules',
        'Supply: 28 capsules',
        'Dr S Weber, GMC 7654321',
      ]),
    ),
    alarm: 'strength',
  },
  'a cultivar of another number': {
    ordered: [['Cannabisblüten Gorilla Glue #4 25/1', 10]],
    papers: privately(['Cannabisblüten Gorilla Glue #5 25/1 10 g']),
    shows: '#5',
  },
  'another combination, without units': {
    ordered: [['Amoxicillin/Clavulansäure 875/125 mg', 1]],
    papers: privately(['Amoxicillin/Clavulansäure 500/125 20 FTA']),
    alarm: 'strength',
  },
  'one of two substances': {
    ordered: [['Amoxicillin/Clavulansäure 875/125 mg', 1]],
    papers: privately(['Amoxicillin 875 mg 20 St']),
    shows: 'Amoxicillin 875 mg',
  },
  'a tenth of the units': {
    ordered: [['Dekristol 20.000 I.E.', 1]],
    papers: privately(['Dekristol 2.000 I.E. 50 Kapseln']),
    alarm: 'strength',
  },
  'half the strength of a salt': {
    ordered: [['Metoprololsuccinat 95 mg', 1]],
    papers: privately(['Metoprolol succinat 47,5 mg 100 St']),
    alarm: 'strength',
  },
  'zero-width letters in another strength': {
    papers: withDrawn(privately([]), words(60, 178, 'Rami\u200bpril 10 mg', { font: 'lying' })),
    alarm: 'strength',
  },
  'another name, from right to left': {
    papers: ofPatient(['\u05d1\u05d1 \u05d0\u05d1\u05d0'], 'lying'),
    alarm: 'nameless',
  },
  'of an animal': {
    papers: privately([RAMIPRIL], { patient: 'Bello (Hund), Halter: Berger, Anna' }),
    shows: 'Hund',
  },
  'redeemed, as a stamp across the page': {
    papers: withDrawn(RIGHT, words(120, 600, 'BEREITS EINGELÖST', { size: 24, turn: 30 })),
    shows: 'EINGELÖST',
  },
  'redeemed, as an annotation beside the text': {
    papers: withNotes(RIGHT, stamp('Abgegeben, Rosen-Apotheke', 60, 600)),
    shows: 'Abgegeben',
  },
  'redeemed, in large print': {
    papers: withDrawn(RIGHT, words(60, 600, 'Schon beliefert', { size: 24 })),
    shows: 'Schon beliefert',
  },
  'turned by 270 degrees, with a stamp': {
    papers: withNotes(
      [{ drawn: privateForm({ lines: [RAMIPRIL] }), rotate: 270 }],
      stamp('UNGÜLTIG', 300, 500),
    ),
    alarm: 'word',
  },
  'turned by 90 degrees, with a silent stamp': {
    papers: withNotes(
      [{ drawn: privateForm({ lines: [RAMIPRIL] }), rotate: 90 }],
      stamp('UNGÜLTIG', 60, 166, { isSilent: true }),
    ),
    alarm: 'covered',
    shows: RAMIPRIL,
    unlike: [{ drawn: privateForm({ lines: [RAMIPRIL] }), rotate: 90 }],
  },
  'issued in the future': { papers: privately([RAMIPRIL], { issued: daysAgo(-3) }), alarm: 'issued' },
  'issued in the future, on a statutory form': {
    papers: drawn(statutoryForm({ lines: [RAMIPRIL], issued: daysAgo(-40) })),
    alarm: 'issued',
  },
  'issued long ago': { papers: privately([RAMIPRIL], { issued: daysAgo(140) }), alarm: 'issued' },
  'a narcotic after eight days': {
    papers: privately([RAMIPRIL], { title: 'Betäubungsmittelrezept', issued: daysAgo(9) }),
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
