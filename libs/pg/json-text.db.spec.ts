import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { statement } from './database';
import { decimalJson, jsonText, nullableStringJson, stringJson, timeJson, wordJson } from './json-text';

const shown = statement<{ json: string }, [string, string, string | null, string, string]>(
  'spec_json_text',
  `SELECT ${jsonText([
    ['word', wordJson('v.word')],
    ['text', stringJson('v.text')],
    ['other', nullableStringJson('v.other')],
    ['amount', decimalJson('v.amount')],
    ['at', timeJson('v.at')],
  ])} AS json FROM (SELECT $1::uuid AS word, $2::text AS text, $3::text AS other, $4::numeric(12,2) AS amount,
    $5::timestamptz AS at) v`,
);

const WORD = '01a1ffc2-00ad-723e-ae42-e342ad7d500f';

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase({ schema: 'core', entities: [], migrations: [] });
});

afterAll(() => test.close());

async function jsonOf(text: string, other: string | null, amount: string, at: string): Promise<string> {
  const [row] = await test.database.rows(shown, WORD, text, other, amount, at);
  return row?.json ?? '';
}

const AT = '2026-01-31T12:00:00.123Z';

describe('JSON text from PostgreSQL equals that of JSON.stringify', () => {
  it.each([
    ['quotes, ",{"id":"', 'back\\slash'],
    ['a\u0001b\tc\nd\re\bf\fg\u007f\u001f', null],
    ['Zoë, 日本語, 😀, \u2028\u2029, </script>', ''],
    ['', "O'Hara"],
  ])('texts %j and %j', async (text, other) => {
    expect(await jsonOf(text, other, '1', AT)).toBe(
      JSON.stringify({ word: WORD, text, other, amount: 1, at: AT }),
    );
  });

  it.each(['0', '0.01', '0.10', '29.90', '30', '100', '1234567.89', '99999999.99'])(
    'the amount %s',
    async (amount) => {
      const json = await jsonOf('', null, amount, AT);
      expect(json).toBe(
        JSON.stringify({ word: WORD, text: '', other: null, amount: Number(amount), at: AT }),
      );
    },
  );

  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5+01:00', '2026-01-31T11:00:00.500Z'],
    ['2026-01-31T12:00:00.05Z', '2026-01-31T12:00:00.050Z'],
    ['2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T23:59:59.999999Z', '2026-01-31T23:59:59.999Z'],
  ])('the time %s, cut to milliseconds', async (given, at) => {
    expect(JSON.parse(await jsonOf('', null, '1', given))).toMatchObject({ at });
  });
});

it('writes the text of json_build_object in the spaced style', async () => {
  const spaced = statement<{ made: string; joined: string }, []>(
    'spec_json_spaced',
    `SELECT json_build_object('id', v.id, 'of', json_build_object('text', v.text, 'n', v.n))::text AS made,
            ${jsonText(
              [
                ['id', wordJson('v.id')],
                [
                  'of',
                  jsonText(
                    [
                      ['text', stringJson('v.text')],
                      ['n', 'v.n'],
                    ],
                    'spaced',
                  ),
                ],
              ],
              'spaced',
            )} AS joined
     FROM (SELECT '${WORD}'::uuid AS id, 'a "b" ü' AS text, 3 AS n) v`,
  );
  const [row] = await test.database.rows(spaced);
  expect(row?.joined).toBe(row?.made);
});
