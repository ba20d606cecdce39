import { Text } from '@offizin/contracts/fields';
import { operation } from '@offizin/contracts/operation';
import { missingIn, withDeprecations } from './deprecations';

const deprecated = { since: '2027-01-01', sunset: '2028-01-31', link: 'https://offizin.example.com/changes' };

class SpecQuery {
  @Text({ optional: true, deprecated }) q?: string;
}
class SpecRow {
  @Text({ deprecated }) old!: string;
}
const common = { summary: 'For this spec', service: 'catalog', access: 'orders.read' } as const;
const get = { ...common, method: 'GET' } as const;
const ending = operation({ ...get, name: 'spec.one', path: '/one', deprecated, reply: SpecRow });
const other = operation({ ...get, name: 'spec.two', path: '/two', query: SpecQuery, reply: SpecRow });
const lasting = operation({ ...get, name: 'spec.three', path: '/three' });

const page = (table: string): string =>
  `Before\n\n<!-- Deprecations: written by \`node tools/bootstrap.mjs docs\`. -->\n\n${table}\n\n<!-- End of the deprecations. -->\n\nAfter\n`;

it('writes what is deprecated into its place of the page, each name once', () => {
  const link = '<https://offizin.example.com/changes>';
  const table = [
    '| What          | Since      | Sunset     | Use instead                           |',
    '| ------------- | ---------- | ---------- | ------------------------------------- |',
    `| \`GET /one\`    | 2027-01-01 | 2028-01-31 | ${link} |`,
    `| \`SpecRow.old\` | 2027-01-01 | 2028-01-31 | ${link} |`,
    `| \`GET /two?q\`  | 2027-01-01 | 2028-01-31 | ${link} |`,
  ].join('\n');
  expect(withDeprecations(page('anything'), [ending, other, lasting])).toBe(page(table));
  expect(withDeprecations(page(table), [lasting])).toBe(page('Nothing is deprecated.'));
  expect(() => withDeprecations('another page', [])).toThrow('the page has no <!-- Deprecations');
});

it('finds what the changelog does not name', () => {
  expect(missingIn('- `GET /one` and `SpecRow.old` end: ...', [ending, other, lasting])).toEqual([
    '`GET /two?q`',
  ]);
  expect(missingIn('', [lasting])).toEqual([]);
});
