import { findingsIn, placesIn } from './findings';

const PAPER = `PRIVATREZEPT Nr. 10403330
Name, Vorname des Versicherten geb. am Ausgestellt am
Wölf-Großmann, Jonas 03.02.1952 12.11.2026
Torstraße 60 10115 Berlin
Rp. Cannabisblüten Demo 18/1 15 g
0,1 g Einzeldosis, max. 4 x täglich verdampfen
Dr. med. Sabine Weber Tel. 081 7076173`;

const wanted = (customerName: string | null, name = 'Cannabisblüten Demo 18/1', quantity = 15) => ({
  customerName,
  lines: [{ names: [name], quantity }],
});

describe('the name of the patient', () => {
  it.each([
    'Jonas Wölf-Großmann',
    'Dr. Jonas Woelf-Grossmann',
    'WÖLF-GROẞMANN, JONAS',
    'Jonas Wölf-Großmann',
  ])('is found as %s', (name) => {
    expect(findingsIn(PAPER, wanted(name)).hasName).toBe(true);
  });

  it.each(['Emilia Klein', 'Jonas Klein', 'Jonas', 'Jon Wölf-Großmann', '', null])(
    'is told from %p, or found in part',
    (name) => {
      expect(findingsIn(PAPER, wanted(name)).hasName).toBe(name === 'Jonas');
    },
  );

  it.each([
    ['Anna Müller\nDr. Berg', false],
    ['Müller, Anna\nBerg 5, 80331 München', false],
    ['Anna-Berg-Straße 5', false],
    ['Anna Berg Straße 5', false],
    ['Anna Bergmann', false],
    ['Anna Berg-Schmidt', false],
    ['Dr. med. Anna Berg', false],
    ['Dr. med.\nAnna Berg\nPatient: Max Vogel', false],
    ['Anna Berg\nFachärztin für Innere Medizin', false],
    ['Praxis Anna Berg', false],
    ['Vogel, Anna Berg, Max', false],
    ['Vogel\nAnna\nBerg\nMax', false],
    ['Anna Berg Klinik', false],
    ['Max Anna, Berg', false],
    ['Mutter: Anna Berg, Patient: Max Berg', false],
    ['Patient: Max Meier\nVertreten durch Anna Berg', false],
    ['Ausgestellt von: Anna Berg\nPatient: Max Vogel', false],
    ['Patient: Berg, Anna', true],
    ['Frau Dr. Anna Berg, geb. 1.1.1980', true],
    ['Patientin:\nBerg\nAnna\ngeb. 1.1.1980', true],
    ['für Frau Berg, Anna M.', true],
  ])('in %j: %p', (text, isThere) => {
    expect(findingsIn(text, wanted('Anna Berg')).hasName).toBe(isThere);
  });
});

describe('the date of issue', () => {
  it.each([
    [PAPER, '2026-11-12'],
    ['Ausgestellt am 02.05.2026\nNächster Termin 10.11.2026', '2026-05-02'],
    ['Geb.-Datum: 12.08.1964, Datum: 02.05.2026', '2026-05-02'],
    ['Datum: 2.5.26\nEingang 18.11.2026', '2026-05-02'],
    ['12.11.2026 … geb. 03.02.1952', '2026-11-12'],
    ['31.02.2026', null],
    [
      'Geburtsdatum: 12.11.2026\nDatum: 01.02.2026, gültig bis 01.05.2026, gedruckt am 20.11.2026',
      '2026-02-01',
    ],
  ])('in %j is %s', (text, day) => {
    expect(findingsIn(text, wanted(null)).issuedOn).toBe(day);
  });
});

it('knows a scan by its missing text, and reads the telephone number', () => {
  expect(findingsIn(' ', wanted('Jonas Wolf')).isScan).toBe(true);
  expect(findingsIn(PAPER, wanted(null)).phone).toBe('081 7076173');
});

/** State of the first line, with `+` when its amount was found. */
function stateOf(text: string, ...lines: [name: string, quantity: number][]): string {
  const { medicines } = findingsIn(text, {
    customerName: null,
    lines: lines.map(([name, quantity]) => ({ names: [name], quantity })),
  });
  return medicines.map(({ state, hasAmount }) => state + (hasAmount ? '+' : '')).join(' ');
}

const IBU = 'Ibuprofen Demo 400 mg 20 Tabletten';
const FLOWER = 'Cannabisblüten Demo 18/1';

describe('a medicine is found with strength, pack and amount', () => {
  it.each([
    [PAPER, FLOWER, 15],
    ['Cannabisblüten Demo\n15 g\nTHC 18 % / CBD 1 %, unzerkleinert', FLOWER, 15],
    ['Cannabisblüten Demo THC: 18,0 %, CBD: 1 % 15g', FLOWER, 15],
    ['3 Packungen Ibuprofen Demo 400mg 20 Tabletten', IBU, 3],
    ['3 x Ibuprofen Demo 0,4 g 20 Tabl.', IBU, 3],
    ['Ibuprofen Demo\n400 mg, 20 Tabletten\n3 OP', IBU, 3],
    ['Ibuprofen Demo Tabletten 400 mg 20 Stück 3 Packungen 3 x täglich', IBU, 3],
    ['Vitamin D3 1.000 I.E. 60 Kapseln 2 Packungen', 'Vitamin D3 1000 IE 60 Kapseln', 2],
    ['Levothyroxin 75 µg N3, 1 OP', 'Levothyroxin 75 mcg N3', 1],
    ['Hustensaft 250 mg / 5 ml 1 Flasche', 'Hustensaft 50 mg/ml', 1],
    ['Sonnencreme LSF 50 100 ml, 2 Tuben', 'Sonnencreme LSF 50 100 ml', 2],
    ['2 Stück Salbe\nDr. med. Test', 'Salbe', 2],
    ['Ibu 400 mg akut 1 Packung', 'Ibu 400 akut', 1],
    ['Levodopa 100 mg/25 mg 1 OP', 'Levodopa 100/25 mg', 1],
  ])('in %j: %s × %d', (text, name, quantity) => {
    expect(stateOf(text, [name, quantity])).toBe('same+');
  });

  it('also where a second one stands on the next line, or an equal one of another strength', () => {
    const text = 'Ibuprofen Demo 400 mg 20 Tabletten, 2 OP\nIbuprofen Demo 800 mg 20 Tabletten, 1 OP';
    const other = 'Ibuprofen Demo 800 mg 20 Tabletten';
    expect(stateOf(text, [IBU, 2], [other, 1])).toBe('same+ same+');
    expect(stateOf(text, [IBU, 1], [other, 2])).toBe('same same');
    expect(stateOf(text, [IBU, 1], [IBU, 1])).toBe('other+');
    expect(stateOf('Salbe 50 g, 1 OP', ['Salbe', 1], ['Salbe 50 g', 1])).toBe('missing missing');
  });
});

/** Made-up documents, each of which tries to be green for a request that it does not prescribe. */
it('reads no page of another patient', () => {
  const text = 'Patient: Max Weber\nIbuprofen 400 mg 1 OP\fPatientin: Erika Kurz\nTilidin 50/4 mg 1 OP';
  const states = ['Ibuprofen 400 mg', 'Tilidin 50/4 mg'].map(
    (name) => findingsIn(text, wanted('Max Weber', name, 1)).medicines[0]?.state,
  );
  expect(states).toEqual(['same', 'unnamed']);
});

describe('no wrong green', () => {
  it.each([
    // Another strength or unit.
    ['Ibuprofen Demo 800 mg 20 Tabletten 3 OP', IBU, 3, 'other'],
    ['Ibuprofen Demo 400 µg 20 Tabletten 3 OP', IBU, 3, 'other'],
    ['Ibuprofen Demo 400 g 20 Tabletten 3 OP', IBU, 3, 'other'],
    ['Ibuprofen Demo 400 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Cannabisblüten Demo 25/1 15 g', FLOWER, 15, 'other'],
    ['Cannabisblüten Demo 25/1 15 g\nGültig bis 18/1', FLOWER, 15, 'other'],
    ['Cannabisblüten Demo 1/18 15 g', FLOWER, 15, 'other'],
    ['Levodopa 25 mg/100 mg 1 OP', 'Levodopa 100 mg/25 mg', 1, 'other'],
    ['Morphin 10 mg/ml 1 Flasche', 'Morphin 10 mg', 1, 'missing'],
    ['Ibuprofen Demo 400 mg 800 mg 20 Tabletten 3 OP', IBU, 3, 'other'],
    // Runs of digits, other digits, noise.
    ['Metformin 1000 mg 1 OP', 'Metformin 100 mg', 1, 'other'],
    ['Metformin 1 000 mg 1 OP', 'Metformin 000 mg', 1, 'missing'],
    ['Dexamethason 1.000 mg 1 OP', 'Dexamethason 1000 mg', 1, 'missing'],
    ['Haldol 1 5 mg 1 OP', 'Haldol 5 mg', 1, 'missing'],
    ['Haldol 1.5 mg 1 OP', 'Haldol 5 mg', 1, 'other'],
    ['Haldol .5 mg 1 OP', 'Haldol 5 mg', 1, 'missing'],
    ['Haldol 1½ mg 1 OP', 'Haldol 1 mg', 1, 'missing'],
    ['Haldol 5² mg 1 OP', 'Haldol 5 mg', 1, 'missing'],
    ['Ibuprofen Demo 4O0 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo ８００\u00a0mg 20 Tabletten 3 OP', IBU, 3, 'other'],
    ['Ibuprofen Demo 4\u00ad000 mg 20 Tabletten 3 OP', IBU, 3, 'other'],
    // The strength of something else.
    ['Ibuprofen Demo\nDiclofenac 400 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo\n400 mg 20 Tabletten 3 OP Diclofenac', IBU, 3, 'missing'],
    ['Ibuprofen Demo, 400 mg Diclofenac 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo\fDiclofenac\n400 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo 800 mg 20 Tabletten 3 OP\nNaproxen 400 mg', IBU, 3, 'other'],
    ['Tel. 030 400 200\nIbuprofen Demo\nDatum 20.4.2026', IBU, 3, 'missing'],
    ['Ibuprofen Demo 400 mg täglich, 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo max. 400 mg, 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo 400 mg oder 600 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo 20 Tabletten 3 OP\n400 mg Naproxen', IBU, 3, 'missing'],
    ['Ibuprofen Demo 20 Tabletten 3 OP\nDosis 400 mg', IBU, 3, 'missing'],
    ['400 mg Diclofenac, Ibuprofen Demo 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo 400 mg/Tag, 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo 200-400 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo 2 x 400 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Ibuprofen Demo < 400 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Cannabisblüten Demo THC < 18 % CBD 1 % 15 g', FLOWER, 15, 'missing'],
    ['Cannabisblüten Demo 18/1 THC 25 % 15 g', FLOWER, 15, 'other'],
    ['Cannabisblüten Demo 18/1.5 15 g', FLOWER, 15, 'other'],
    ['Cannabisblüten Demo 118/1 15 g', FLOWER, 15, 'missing'],
    ['Cannabisblüten Demo 18/11 15 g', FLOWER, 15, 'other'],
    ['Cannabisblüten Demo 18/1/2026 15 g', FLOWER, 15, 'missing'],
    ['Pedanios 22/1\nCannabisblüten Demo 15 g', FLOWER, 15, 'missing'],
    // Another form or pack.
    ['Ibuprofen Demo 400 mg 50 Tabletten 3 OP', IBU, 3, 'other'],
    ['Ibuprofen Demo 400 mg 20 Retardtabletten 3 OP', IBU, 3, 'missing'],
    ['Levothyroxin 75 µg N1 1 OP', 'Levothyroxin 75 µg N3', 1, 'other'],
    ['Nasenspray 20 ml 1 OP', 'Nasenspray 10 ml', 1, 'other'],
    // Another name.
    ['Dexibuprofen Demo 400 mg 20 Tabletten 3 OP', IBU, 3, 'unnamed'],
    ['Dex-Ibuprofen Demo 400 mg 20 Tabletten 3 OP', IBU, 3, 'unnamed'],
    ['Co Valsartan 160 mg 1 OP', 'Valsartan 160 mg', 1, 'missing'],
    ['Valsartan-HCT 160 mg 1 OP', 'Valsartan 160 mg', 1, 'unnamed'],
    ['Valsartan comp 160 mg 1 OP', 'Valsartan 160 mg', 1, 'missing'],
    ['Ibuprоfen Demo 400 mg 20 Tabletten 3 OP', IBU, 3, 'unnamed'],
    ['2 Stück Salbei', 'Salbe', 2, 'unnamed'],
    ['Frau Anna Salbe, 2 Stück', 'Salbe', 2, 'missing'],
    ['Bediol Apotheke, 2 Packungen', 'Bediol', 2, 'missing'],
    ['Keine Ibuprofen Demo 400 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    ['Allergie: Ibuprofen Demo 400 mg 20 Tabletten 3 OP', IBU, 3, 'missing'],
    // Another amount.
    ['Ibuprofen Demo 400 mg 20 Tabletten 3 x täglich', IBU, 3, 'same'],
    ['3 x Ibuprofen Demo 400 mg 20 Tabletten täglich', IBU, 3, 'missing'],
    ['Ibuprofen Demo 400 mg 20 Tabletten 3-0-3', IBU, 3, 'same'],
    ['Ibuprofen Demo 400 mg 20 Tabletten 3x1', IBU, 3, 'same'],
    ['Ibuprofen Demo 400 mg 20 Tabletten alle 3 Stunden', IBU, 3, 'same'],
    ['Ibuprofen Demo 400 mg 20 Tabletten', IBU, 20, 'same'],
    ['Ibuprofen Demo 400 mg 20 St N1', 'Ibuprofen Demo 400 mg', 20, 'same'],
    ['Ibuprofen Demo 400 mg 20 Tabletten 1 OP, 3 OP', IBU, 3, 'same'],
    ['Ibuprofen Demo 400 mg 20 Tabletten\nNaproxen 3 OP', IBU, 3, 'same'],
    ['Testosteron Gel 30 g', 'Testosteron Gel', 30, 'same'],
    ['Lavendelblüten Tee 50 g', 'Lavendelblüten Tee 50 g', 50, 'same'],
    ['Cannabisblüten Demo 18/1 15 mg', FLOWER, 15, 'same'],
    ['Cannabisblüten Demo 18/1 15,5 g', FLOWER, 15, 'same'],
    ['Cannabisblüten Demo 18/1 3 x 5 g', FLOWER, 5, 'same'],
    ['Cannabisblüten Demo 18/1 15 g täglich', FLOWER, 15, 'same'],
    // Documents that a tester made up without knowing the comparison.
    ['Ramipril Tabletten 2,5 mg N3\nAmlodipin 10 mg Tabletten N2', 'Ramipril 10 mg Tabletten', 1, 'other'],
    ['Ramipril\nBisoprolol\n10 mg, 1 OP', 'Bisoprolol 10 mg', 1, 'missing'],
    ['Valsartan 160 mg +\nHydrochlorothiazid 12,5 mg 1 OP', 'Valsartan 160 mg', 1, 'missing'],
    ['Codein + Paracetamol 500 mg 1 OP', 'Paracetamol 500 mg', 1, 'missing'],
    ['Naproxen 500 mg oder Ibuprofen 600 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Des-\nloratadin 5 mg 1 OP', 'Loratadin 5 mg', 1, 'unnamed'],
    ['S (+) Ketamin 25 mg 1 OP', 'Ketamin 25 mg', 1, 'missing'],
    ['Tilidin comp 50/4 mg 50 St\n- nicht ausgehändigt -', 'Tilidin comp 50/4 mg', 1, 'missing'],
    ['Ibuprofen\n600 mg 20 St\n1 OP\nentfällt', 'Ibuprofen 600 mg 20 St', 1, 'missing'],
    ['Ibuprofen 600 mg, nicht vertragen\nRp. Naproxen', 'Ibuprofen 600 mg', 1, 'missing'],
    ['STORNO\nIbuprofen 600 mg 1 OP', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Bisherige Medikation: Ibuprofen 600 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Anzeige\nIbuprofen 600 mg\nRp.\nParacetamol', 'Ibuprofen 600 mg', 1, 'missing'],
    ['---- Ibuprofen 600 mg ----', 'Ibuprofen 600 mg', 1, 'missing'],
    ['I\u0336b\u0336u\u0336 6\u03360\u03360\u0336 mg 1 OP', 'Ibu 600 mg', 1, 'unnamed'],
    ['Fentanyl 12 µg/h -> 25 µg/h, 1 OP', 'Fentanyl 12 µg/h', 1, 'missing'],
    ['Fentanyl 12 µg/h (neu: 25 µg/h) 1 OP', 'Fentanyl 12 µg/h', 1, 'missing'],
    ['Morphin retard 10 mg Tabletten 1 OP', 'Morphin 10 mg Tabletten', 1, 'missing'],
    ['UNGÜLTIG\nRp.\nNaproxen\nIbuprofen 600 mg 1 OP', 'Ibuprofen 600 mg', 1, 'missing'],
    ['ENTWURF - nicht einlösen\nRp.\n1 OP Ibuprofen 600 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Ibuprofen 600 mg 1 OP\nBereits beliefert am 1.11.2026', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Ibuprofen 600 mg 1 OP\fDiese Verordnung ist ungültig.', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Ibuprofen 600 mg 1 OP\nOhne Stempel ungültig', 'Ibuprofen 600 mg', 1, 'same+'],
    ['Vom Hausarzt bereits verordnet:\nIbuprofen 600 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Verordnung abgelehnt: Ibuprofen 600 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Ibuprofen 600 mg\nist nicht verordnet', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Naproxen als Ersatz für Ibuprofen 600 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['auf keinen Fall abgeben\nIbuprofen 600 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Patientin reagiert auf\nIbuprofen 600 mg\nmit Atemnot', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Do not dispense Ibuprofen 600 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Ibuprofen 600 mg tablets 1 OP', 'Ibuprofen 600 mg Kapseln', 1, 'missing'],
    ['Dauermedikation\nIbuprofen 600 mg\nRp.\nNaproxen 500 mg', 'Ibuprofen 600 mg', 1, 'missing'],
    ['Morphin 10 mg Retardtabletten 1 OP', 'Morphin 10 mg', 1, 'missing'],
    ['Morphin 10 mg retard 1 OP', 'Morphin 10 mg', 1, 'missing'],
    ['Pedanios 22/1 Extrakt 10 g', 'Pedanios 22/1', 10, 'missing'],
    ['Ambroxol 30 mg Saft 1 OP', 'Ambroxol 30 mg Suspension', 1, 'missing'],
    ['Nystatin Mundspray 1 OP', 'Nystatin Nasenspray', 1, 'missing'],
    ['Haldol |5 mg 1 OP', 'Haldol 5 mg', 1, 'missing'],
    ['Heparin 25.000 I.E. 1 OP', 'Heparin 5000 I.E.', 1, 'other'],
    ['Salbutamol 100 µg, 200 Dosen', 'Salbutamol 100 µg', 200, 'same'],
    ['Zopiclon 7,5 mg 1 OP, Menge: 2', 'Zopiclon 7,5 mg', 1, 'same'],
  ])('in %j for %s × %d: %s', (text, name, quantity, state) => {
    expect(stateOf(text, [name, quantity])).toBe(state);
  });

  it('of two medicines with each other’s strengths or amounts', () => {
    const text = 'Alpha 5 mg 2 OP\nBeta 10 mg 1 OP';
    expect(stateOf(text, ['Alpha 10 mg', 1], ['Beta 5 mg', 2])).toBe('other other');
    expect(stateOf(text, ['Alpha 5 mg', 1], ['Beta 10 mg', 2])).toBe('same same');
  });

  it('of the partner’s name alone, when another product would be handed out', () => {
    const lines = [{ names: ['Ibuprofen Demo 800 mg', 'Ibuprofen Demo 400 mg'], quantity: 1 }];
    const { medicines } = findingsIn('Ibuprofen Demo 400 mg, 1 OP', { customerName: null, lines });
    expect(medicines.map(({ state }) => state)).toContain('other');
  });

  it('of any strength, unit or amount but the own one', () => {
    const units = ['mg', 'g', 'µg', 'ml', 'I.E.', '%', 'mg/ml'];
    const strengths = [1, 10, 4, 40, 400, 404, 800].flatMap((value) =>
      units.map((unit) => `${value} ${unit}`),
    );
    const wrong = strengths.flatMap((prescribed) =>
      strengths.filter((asked) => {
        const isSame = stateOf(`Rp. Alpha ${prescribed}, 2 OP`, [`Alpha ${asked}`, 2]).startsWith('same');
        return isSame !== (prescribed === asked);
      }),
    );
    expect(wrong).toEqual([]);
    const amounts = [1, 2, 3, 12, 20, 21, 100];
    for (const given of amounts)
      for (const asked of amounts)
        expect(stateOf(`Alpha 5 mg ${given} OP, 3 x tgl.`, ['Alpha 5 mg', asked])).toBe(
          given === asked ? 'same+' : 'same',
        );
  });

  it('takes a long hostile text in its stride', () => {
    expect(stateOf('Alpha 5 - '.repeat(50_000), ['Alpha 5 mg', 1])).toBe('unnamed');
    expect(stateOf(`Alpha ${'1 '.repeat(100_000)}`, ['Alpha 5 mg', 1])).toBe('missing');
  });
});

it('marks what was found, and what differs', () => {
  const marked = (text: string) =>
    placesIn(text, wanted('Jonas Wölf-Großmann')).map(
      ({ from, to, isOther }) => (isOther ? '!' : '') + text.slice(from, to),
    );
  expect(marked(PAPER)).toEqual(['Wölf', 'Großmann', 'Jonas', 'Cannabisblüten', 'Demo', '18/1']);
  expect(marked('Cannabis\u00adblüten Demo 25 / 1')).toEqual(['Cannabis\u00adblüten', 'Demo', '!25 / 1']);
});
