import {
  type PaperCase,
  RAMIPRIL,
  drawn,
  ePrescription,
  ofPatient,
  privately,
  onPink,
  withDrawn,
  withNotes,
  RIGHT,
  OTHERS,
} from './paper-cases';
import { field, ISSUED, listed, PRESCRIBER, privateForm, SCAN, stamp, words } from './papers';

const BRITISH_DAY = ISSUED.replaceAll('.', '/');

export const RIGHT_PAPERS: Readonly<Record<string, PaperCase>> = {
  'a private prescription': { papers: RIGHT, born: '1984-03-14' },
  'a statutory one, typed': { papers: onPink(`${RAMIPRIL} PZN01234567`, 'Dj'), born: '1984-03-14' },
  'a narcotic': { papers: privately([RAMIPRIL], { title: 'Betäubungsmittelrezept' }) },
  'the printout of an e-prescription': {
    papers: ePrescription('1x Ramipril 5 mg Tabletten N3', 'PZN: 01234567'),
    born: '1984-03-14',
  },
  'of a hospital': {
    papers: drawn(
      listed(60, 60, [
        'Klinikum Beispielstadt',
        'Entlassrezept',
        'Patientin: Frau Anna Berger, geb. 14.03.1984',
        `Entlassen am ${ISSUED}`,
        RAMIPRIL,
        'Oberarzt Dr. Klein',
      ]),
    ),
  },
  'a letter of discharge': {
    papers: drawn(
      listed(60, 60, [
        'Sehr geehrte Kollegin,',
        'wir berichten über Anna Berger, geboren am 14.03.1984.',
        'Medikation bei Entlassung:',
        'Ramipril 5 mg 1-0-0',
        'Bisoprolol 2,5 mg 1-0-1',
        'Dr. med. Otto Klein',
      ]),
    ),
    born: '1984-03-14',
  },
  'a footer about a copy': {
    papers: withDrawn(RIGHT, words(60, 780, 'Reichen Sie eine Kopie ein.', { size: 7 })),
  },
  'small print about a copy': {
    papers: withDrawn(
      RIGHT,
      words(60, 780, 'Die Kopie verbleibt bei der Krankenkasse.', { size: 7 }),
      words(580, 600, 'Reichen Sie eine Kopie ein.', { size: 6, turn: 90 }),
    ),
  },
  'a maker called Muster': {
    ordered: [['Ramipril Muster 5 mg', 1]],
    papers: privately(['Muster Ramipril 5 mg 100 St']),
  },
  'only annotations': {
    papers: withNotes(
      drawn([SCAN]),
      stamp('Berger', 60, 80, { subtype: 'FreeText' }),
      stamp('Anna', 60, 110, { subtype: 'FreeText' }),
      stamp('Ramipril 5 mg', 60, 200, { subtype: 'FreeText' }),
    ),
    amber: { picture: 'a page that is a picture' },
  },
  'invalid without a stamp': {
    papers: withDrawn(RIGHT, words(60, 780, 'Ungültig ohne Stempel', { size: 7 })),
    amber: { word: 'a word of the list in running text' },
  },
  'a patient called Muster': {
    customer: 'Anna Muster',
    papers: privately([RAMIPRIL], { patient: 'Muster, Anna' }),
  },
  'a doctor called Muster': {
    papers: privately([RAMIPRIL], { prescriber: ['Dr. med. Max Muster', 'Musterstraße 3'] }),
  },
  'thousands with a point': {
    ordered: [['Dekristol 20000 I.E. 50 Kapseln', 1]],
    papers: privately(['Dekristol 20.000 I.E. 50 Kapseln']),
  },
  'thousands with a space': {
    ordered: [['Vigantol 20.000 I.E.', 1]],
    papers: privately(['Vigantol 20 000 IE']),
  },
  milligrams: { ordered: [['Cabergolin 1 mg', 1]], papers: privately(['Cabergolin 1000 µg']) },
  grams: { ordered: [['Ibuprofen 400 mg', 1]], papers: privately(['Ibuprofen 0,4 g 20 St']) },
  'a combination': {
    ordered: [['Amoxicillin/Clavulansäure 875/125 mg', 1]],
    papers: privately(['Amoxicillin 875 mg / Clavulansäure 125 mg']),
  },
  'a combination without units': {
    ordered: [['Amoxi-Clavulan 875 mg/125 mg', 1]],
    papers: privately(['Amoxi-Clavulan 875/125 20 FTA']),
  },
  'a penicillin in grams': {
    ordered: [['Piperacillin/Tazobactam 4 g/0,5 g', 1]],
    papers: privately(['Piperacillin/Tazobactam 4000 mg/500 mg']),
  },
  'millions of units': {
    ordered: [['Penicillin V 1,5 Mio. I.E.', 1]],
    papers: privately(['Penicillin V 1.500.000 IE 20 St']),
  },
  'an injection by the dose': {
    ordered: [['Heparin 5000 I.E./0,2 ml', 1]],
    papers: privately(['Heparin 5.000 I.E. / 0,2 ml Fertigspritzen']),
  },
  'a salt on the paper': {
    ordered: [['Amlodipin 5 mg', 1]],
    papers: privately(['Amlodipinbesilat 5 mg 100 St']),
  },
  'a salt in the order': {
    ordered: [['Levothyroxin-Natrium 75 µg', 1]],
    papers: privately(['Levothyroxin 75 Mikrogramm']),
  },
  'a number without a unit': {
    ordered: [['Ibuprofen 400', 1]],
    papers: privately(['Ibuprofen 400 mg 20 Tabl.']),
  },
  'by the volume': {
    ordered: [['Novaminsulfon Tropfen 500 mg/ml', 1]],
    papers: privately(['Novaminsulfon Tropfen 2500 mg/5 ml']),
  },
  'a patch by the hour': {
    ordered: [['Fentanyl 25 µg/h Pflaster', 1]],
    papers: privately(['Fentanyl 25 Mikrogramm/Stunde 10 Pflaster']),
  },
  'a cream in per cent': {
    ordered: [['Clotrimazol 1 % Creme 20 g', 1]],
    papers: privately(['Clotrimazol Creme 10 mg/g 20 g']),
  },
  'twice a day': { papers: privately(['2 x täglich Ramipril 5 mg']) },
  'a maker of its own': {
    ordered: [['Ramipril ratiopharm 5 mg', 1]],
    papers: privately(['Ramipril HEXAL 5 mg 100 St']),
  },
  'a cultivar': {
    ordered: [['Cannabisblüten Pedanios 22/1 GHS', 15]],
    papers: privately(['Cannabisblüten Pedanios 22/1', 'THC 22 % CBD 1 %, 15 g']),
  },
  'a cultivar in per cent': {
    ordered: [['Cannabisblüten Demo 22/1', 15]],
    papers: privately(['Cannabisblüten Demo THC 22 % CBD 1 % 15 g']),
  },
  'a dosage that is not an amount': {
    papers: privately(['Ramipril 5 mg, 2 Tabletten täglich, 3 x täglich']),
  },
  'the higher dose of a day': { papers: privately(['Ramipril 5 mg morgens und abends (10 mg am Tag)']) },
  'an umlaut spelt out': {
    customer: 'Jonas Woelf-Grossmann',
    papers: privately([RAMIPRIL], { patient: 'Wölf-Großmann, Jonas' }),
  },
  'a name before the marriage': { customer: 'Anna Berger, geb. Vogel', papers: RIGHT },
  'titles before a name': { customer: 'Prof. Dr. med. Anna Berger', papers: RIGHT },
  'a married name on the paper': {
    customer: 'Berger, Anna',
    born: '1984-03-14',
    papers: privately([RAMIPRIL], { patient: 'Anna Berger geb. Vogel' }),
  },
  'a second first name': { customer: 'Anna Maria Berger', papers: RIGHT },
  'names in two fields': {
    papers: withNotes(
      drawn([
        words(60, 84, 'Name, Vorname des Patienten', { size: 7 }),
        words(60, 200, 'Rp.'),
        ...listed(60, 260, PRESCRIBER),
      ]),
      field('Berger, Anna', 60, 90),
      field('Ramipril 5 mg', 60, 210),
    ),
  },
  'a hyphen at the end of a line': {
    ordered: [['Hydrochlorothiazid 25 mg', 1]],
    papers: privately(['Hydrochloro-', 'thiazid 25 mg 100 St']),
  },
  'letters set apart': { papers: privately(['R a m i p r i l 5 mg']) },
  'zero-width letters': {
    papers: withDrawn(
      privately([], { patient: 'Berger, Anna' }),
      words(60, 178, 'Rami\u200bpril 6 mg', { font: 'lying' }),
    ),
    ordered: [['Ramipril 6 mg', 1]],
  },
  'letters from right to left': {
    papers: withDrawn(RIGHT, words(60, 700, '\u05d0\u05d1\u05d0 \u05d1\u05d0', { font: 'lying' })),
  },
  'one object for each word': {
    papers: withDrawn(privately([]), words(60, 178, 'Ramipril'), words(104, 178, '5'), words(113, 178, 'mg')),
  },
  turned: { papers: [{ drawn: privateForm({ lines: [RAMIPRIL] }), rotate: 90 }], born: '1984-03-14' },
  'upside down': { papers: [{ drawn: privateForm({ lines: [RAMIPRIL] }), rotate: 180 }] },
  lying: {
    papers: drawn([
      words(200, 700, 'Patient: Anna Berger', { turn: 90 }),
      words(220, 700, RAMIPRIL, { turn: 90 }),
      words(240, 700, 'Dr. Weber', { turn: 90 }),
    ]),
  },
  'with the pages of another': { papers: drawn(OTHERS, privateForm({ lines: [RAMIPRIL] })) },
  'with a scan of an annex': {
    papers: [...RIGHT, { drawn: [SCAN] }],
    amber: { picture: 'a page that is a picture' },
  },
  'another brand': { ordered: [['Delix 5 mg', 1]], papers: RIGHT, red: 'missing' },
  'in English': {
    ordered: [['Ramipril 5 mg tablets', 2]],
    papers: drawn(
      listed(60, 60, [
        'Prescription',
        'Patient name: Anna Berger',
        'Date of birth: 14/03/1984',
        `Date of issue: ${BRITISH_DAY}`,
        '2 x Ramipril 5 mg tablets',
        'Dr. Sabine Weber',
      ]),
    ),
    born: '1984-03-14',
  },
  'the printout of three e-prescriptions': {
    papers: ePrescription(
      '1x Bisoprolol 2,5 mg Tabletten N3',
      'PZN: 01234566',
      '1x Ramipril 5 mg Tabletten N3',
      'PZN: 01234567',
      '1x Torasemid 10 mg Tabletten N3',
      'PZN: 01234568',
    ),
    born: '1984-03-14',
  },
  'of a private doctor in England': {
    papers: drawn(
      listed(60, 60, [
        'Private prescription',
        'Dr S Weber MBBS, GMC 7654321',
        'Patient: Anna Berger',
        'DOB: 14/03/1984',
        `Date: ${BRITISH_DAY}`,
        'Rx',
        'Ramipril 5mg tablets',
        'One to be taken daily',
        'Supply: 28 tablets',
        'Signed: S Weber',
      ]),
    ),
    born: '1984-03-14',
  },
  'a plan of medicines': {
    papers: drawn([
      words(60, 60, 'Medikationsplan', { size: 16 }),
      words(300, 60, 'für: Anna Berger'),
      words(440, 60, 'geb. am: 14.03.1984'),
      ...['Ramipril', '5 mg', 'Tabl', '1-0-0-0'].map((cell, at) => words(60 + at * 110, 110, cell)),
      ...['Metformin', '1000 mg', 'Tabl', '1-0-1-0'].map((cell, at) => words(60 + at * 110, 126, cell)),
    ]),
    born: '1984-03-14',
  },
  'a letter that takes another one off': {
    papers: drawn(
      listed(60, 60, [
        'Entlassbrief',
        'Patientin: Anna Berger, geboren am 14.03.1984',
        'Medikation bei Entlassung:',
        'Bisoprolol 2,5 mg 1-0-1',
        'Pantoprazol 40 mg 1-0-0',
        'Torasemid 10 mg 1-0-0',
        'Metformin 500 mg 1-0-1',
        'Ramipril 5 mg 1-0-0',
        'Abgesetzt:',
        'Ibuprofen 600 mg',
        'Dr. med. Otto Klein',
      ]),
    ),
    born: '1984-03-14',
  },
  'a salt that the paper has as a word': {
    ordered: [['Metoprololsuccinat 95 mg', 1]],
    papers: privately(['Metoprolol succinat 95 mg Retardtabletten']),
  },
  'a salt that the paper leaves out': {
    ordered: [['Amlodipinbesilat 5 mg', 1]],
    papers: privately(['Amlodipin 5 mg 100 St']),
  },
  'a combination, each with its strength': {
    ordered: [['Amoxicillin/Clavulansäure 875/125 mg', 1]],
    papers: privately(['Amoxicillin 875 / Clavulansäure 125 20 FTA']),
  },
  'thousands without a unit': {
    ordered: [['Dekristol 20.000 I.E.', 1]],
    papers: privately(['Dekristol 20.000 50 Kapseln']),
  },
  'a cultivar with a number': {
    ordered: [['Cannabisblüten Gorilla Glue #4 25/1', 10]],
    papers: privately(['Cannabisblüten Gorilla Glue 4 (THC 25 %, CBD <1 %) 10 g']),
  },
  'a cultivar that begins with a number': {
    ordered: [['Cannabisblüten 420 Natural 20/1 CA', 15]],
    papers: privately(['Cannabisblüten 420 Natural 20/1, 15 g']),
  },
  'a ligature': {
    ordered: [['Gemfibrozil 600 mg', 1]],
    papers: withDrawn(privately([]), words(60, 178, 'Gem\ufb01brozil 600 mg', { font: 'lying' })),
  },
  'zero-width letters in the name': {
    papers: privately([RAMIPRIL], { patient: 'Ber\u200bger, An\u200bna', font: 'lying' }),
  },
  'a name from right to left': {
    customer: '\u05d0\u05d1\u05d0 \u05d1\u05d1',
    papers: ofPatient(['\u05d1\u05d1 \u05d0\u05d1\u05d0'], 'lying'),
  },
  'a double name on two lines': {
    customer: 'Sabine Leutheusser-Schnarrenberger',
    papers: ofPatient(['Leutheusser-', 'Schnarrenberger, Sabine']),
  },
  'a name parted at the end of a line': {
    customer: 'Anna Schnarrenberger',
    papers: ofPatient(['Schnarren-', 'berger, Anna']),
  },
  'the same patient twice on a sheet': {
    papers: drawn([
      ...privateForm({ lines: [RAMIPRIL] }),
      ...privateForm({ lines: ['Bisoprolol 2,5 mg'], y: 440 }),
    ]),
    amber: { twice: 'the same label of patient twice on one page' },
  },
  'turned by 270 degrees, with a stamp of the practice': {
    papers: withNotes(
      [{ drawn: privateForm({ lines: [RAMIPRIL] }), rotate: 270 }],
      stamp('Praxis Dr. Weber', 60, 420),
    ),
  },
  'with a stamp of the practice over its signature': {
    papers: withNotes(RIGHT, stamp('Praxis', 380, 300)),
    amber: { covered: 'an annotation over text' },
  },
};
