import { randomBytes } from 'node:crypto';
import { makePdf } from '@offizin/testkit/pdf';
import { cutOut, parseLargeBody, parseWhole } from './parse-large-body';

/** The short way (cut the texts out of the bytes) against the long one (parse everything): they never disagree. */
const FIELDS = [
  ['payload', 'prescription_pdf_base64'],
  ['payload', 'documents', '*', 'pdf_base64'],
];
const KEY = 'prescription_pdf_base64';

function pdfOf(bytes: number): Buffer {
  return Buffer.concat([makePdf(), randomBytes(bytes)]).subarray(0, bytes);
}

const BASE64 = pdfOf(6_001).toString('base64');
const OTHER = pdfOf(9_002).toString('base64');

function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return { thrown: error };
  }
}

function expectAgreement(body: Buffer): void {
  const [here, there] = [parseLargeBody, parseWhole].map((way) => outcomeOf(() => way(body, FIELDS, 1_000)));
  expect(here).toEqual(there);
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text);
}

describe('the short way', () => {
  it.each([
    ['as JSON.stringify writes it', JSON.stringify({ a: 1, payload: { [KEY]: BASE64, note: 'ä€😀' } })],
    ['with white space', `{"payload" :\n{ "${KEY}" \t:\r\n "${BASE64}" , "a": 1e3 } }`],
    ['with a data URL', JSON.stringify({ payload: { [KEY]: `data:application/pdf;base64,${BASE64}` } })],
    ['behind a byte order mark', `\ufeff${JSON.stringify({ payload: { [KEY]: BASE64 } })}`],
    ['before its key in another string', JSON.stringify({ payload: { [KEY]: BASE64, b: `"${KEY}":"x"` } })],
    ['with a second long text', JSON.stringify({ payload: { [KEY]: BASE64, other: OTHER } })],
  ])('finds the document: %s', (_, text) => {
    expect(cutOut(bytesOf(text), FIELDS)?.documents.get(`payload.${KEY}`)).toMatchObject({ ok: true });
    expectAgreement(bytesOf(text));
  });

  it.each([
    ['an escape in the text', `{"payload":{"${KEY}":"${BASE64.slice(0, 8)}\\u0041${BASE64.slice(9)}"}}`],
    ['an escaped slash', `{"payload":{"${KEY}":"${BASE64}\\/"}}`],
    ['an escaped quote', `{"payload":{"${KEY}":"${BASE64}\\""}}`],
    ['an escape in the key', `{"payload":{"prescription\\u005fpdf_base64":"${BASE64}"}}`],
    [
      'an escape in the key, and the key in vain',
      `{"${KEY}":"${OTHER}","payload":{"prescription\\u005fpdf_base64":"${BASE64}"}}`,
    ],
    ['the key twice', `{"payload":{"${KEY}":"${BASE64}","${KEY}":"${OTHER}"}}`],
    ['the object twice', `{"payload":{"${KEY}":"${BASE64}"},"payload":{"${KEY}":"${OTHER}"}}`],
    ['the key outside', `{"${KEY}":"${OTHER}","payload":{"${KEY}":"${BASE64}"}}`],
    ['the key deeper', `{"payload":{"more":{"${KEY}":"${OTHER}"},"${KEY}":"${BASE64}"}}`],
    ['the key only deeper', `{"payload":{"more":{"${KEY}":"${OTHER}"}}}`],
    ['the key in another string', JSON.stringify({ payload: { a: `"${KEY}":"${OTHER}"`, [KEY]: BASE64 } })],
    ['the key as a value', `{"payload":{"a":"${KEY}","${KEY}":"${BASE64}"}}`],
    ['a list instead', `{"payload":[{"${KEY}":"${BASE64}"}]}`],
    ['broken base64', `{"payload":{"${KEY}":"${BASE64.slice(0, -4)}J=Bh"}}`],
    ['base64 for URLs', `{"payload":{"${KEY}":"${BASE64.replace(/[+/]/g, '-')}-_-_"}}`],
    ['a line break in it', `{"payload":{"${KEY}":"${BASE64}\n"}}`],
    ['a byte order mark in it', `{"payload":{"${KEY}":"\ufeff${BASE64}"}}`],
    ['half a surrogate pair in it', `{"payload":{"${KEY}":"${BASE64}\\ud800"}}`],
    ['half a surrogate pair beside it', `{"payload":{"${KEY}":"${BASE64}","a":"\\ud800"}}`],
    ['no PDF', `{"payload":{"${KEY}":"${Buffer.alloc(6_000).toString('base64')}"}}`],
    ['a short text', `{"payload":{"${KEY}":"https://praxis.example/rezept.pdf"}}`],
    ['null', `{"payload":{"${KEY}":null}}`],
    ['no end of the text', `{"payload":{"${KEY}":"${BASE64}`],
    ['no end of the body', `{"payload":{"${KEY}":"${BASE64}"}`],
    ['more behind the end', `{"payload":{"${KEY}":"${BASE64}"}} "${KEY}"`],
    ['a forbidden key', `{"__proto__":{},"payload":{"${KEY}":"${BASE64}"}}`],
    ['too many values', `{"payload":{"${KEY}":"${BASE64}","list":[${'1,'.repeat(1_000)}1]}}`],
    ['nothing', ''],
  ])('leaves to the long way, or agrees with it: %s', (_, text) => {
    expectAgreement(bytesOf(text));
  });

  it('finds every document of a list, and leaves what may be an address', () => {
    const documents = [
      { kind: 'other', pdf_base64: OTHER },
      { kind: 'identity', pdf_url: 'https://praxis.example/ausweis.pdf' },
      { pdf_base64: BASE64, name: '"pdf_base64":' },
    ];
    const body = bytesOf(JSON.stringify({ payload: { documents, [KEY]: BASE64 } }));
    const cut = cutOut(body, FIELDS);
    expect([...(cut?.documents.keys() ?? [])]).toEqual([
      `payload.${KEY}`,
      'payload.documents[0].pdf_base64',
      'payload.documents[2].pdf_base64',
    ]);
    const [, url] = documents;
    expect(JSON.parse(cut?.json ?? '')).toEqual({
      payload: { documents: [{ kind: 'other' }, url, { name: '"pdf_base64":' }] },
    });
    expectAgreement(body);
  });

  it.each([
    ['a list in a list', { documents: [[{ pdf_base64: BASE64 }]] }],
    ['an object instead of a list', { documents: { pdf_base64: BASE64 } }],
    ['no objects', { documents: [BASE64, null, 7] }],
    ['the name elsewhere, too', { documents: [{ pdf_base64: BASE64 }], more: { pdf_base64: OTHER } }],
    ['one of them wrong', { documents: [{ pdf_base64: BASE64 }, { pdf_base64: `${OTHER}!` }] }],
    ['one of them short', { documents: [{ pdf_base64: BASE64 }, { pdf_base64: 'abc' }] }],
    ['more keys than are usual', { documents: Array.from({ length: 70 }, () => ({ pdf_base64: BASE64 })) }],
  ])('leaves a list to the long way, or agrees with it: %s', (_, payload) => {
    expectAgreement(bytesOf(JSON.stringify({ payload })));
  });

  it('leaves bytes that are not UTF-8 to the long way, in the text and beside it', () => {
    const body = bytesOf(JSON.stringify({ payload: { a: '#', [KEY]: BASE64 } }));
    for (const at of [body.indexOf('#'), body.indexOf(BASE64) + 100]) {
      const broken = Buffer.from(body);
      broken[at] = 0xff;
      expect(cutOut(broken, FIELDS)).toBeNull();
      expectAgreement(broken);
    }
  });
});

/** Pieces that bodies are made of at random: right ones, and those that mislead a reader of bytes. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ' ',
  '"',
  '\\',
  '"a"',
  '1',
  'null',
  '"payload"',
  '"payload":{',
  `"${KEY}"`,
  `"${KEY}":`,
  `"${KEY}":"${BASE64}"`,
  `"${BASE64}"`,
  BASE64,
  `\\"${KEY}\\":`,
  '\\u0041',
  'é',
];

it('agrees with the long way on generated bodies', () => {
  let seed = 7;
  const next = (limit: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((seed / 2_147_483_648) * limit);
  };
  const whole = `{"a":["x",1],"payload":{"note":"n","${KEY}":"${BASE64}","items":[{"qty":1}]},"z":"${KEY}"}`;
  let cut = 0;
  for (let round = 0; round < 4_000; round++) {
    let text = whole;
    // A few changes: a piece put in, or some characters taken out, near the structure as often as in the text.
    for (let change = next(4); change > 0; change--) {
      const at = next(2) === 0 ? next(text.length) : next(60);
      const piece = next(3) === 0 ? '' : (PIECES[next(PIECES.length)] ?? '');
      text = text.slice(0, at) + piece + text.slice(at + (piece === '' ? 1 + next(8) : 0));
    }
    const body = bytesOf(text);
    if (outcomeOf(() => cutOut(body, FIELDS)) !== null) cut += 1;
    expectAgreement(body);
  }
  // Both ways were taken.
  expect(cut).toBeGreaterThan(500);
  expect(cut).toBeLessThan(3_500);
});
