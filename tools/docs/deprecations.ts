import { deprecatedFieldsOf } from '@offizin/contracts/deprecated-fields';
import type { Deprecation } from '@offizin/contracts/deprecation';
import type { Operation } from '@offizin/contracts/operation';
import { markdownTable } from './markdown-table';

/** An operation, parameter or field as the changelog and the table name it. */
interface Deprecated {
  /** `GET /path`, `GET /path?parameter`, or `Schema.field`. */
  name: string;
  deprecated: Deprecation;
}

/** Everything that is deprecated, each name once. */
export function deprecatedIn(operations: readonly Operation[]): Deprecated[] {
  const all = operations.flatMap((op) => {
    const call = `${op.method} ${op.path}`;
    const fields = [op.body, op.reply, op.waitingReply].flatMap((dto) =>
      typeof dto === 'string' ? [] : deprecatedFieldsOf(dto),
    );
    return [
      ...(op.deprecated ? [{ name: call, deprecated: op.deprecated }] : []),
      ...deprecatedFieldsOf(op.query).map(({ name, deprecated }) => ({
        name: `${call}?${name}`,
        deprecated,
      })),
      ...fields.map(({ dto, name, deprecated }) => ({ name: `${dto.name}.${name}`, deprecated })),
    ];
  });
  return [...new Map(all.map((one) => [one.name, one])).values()];
}

/** Names, in backticks, that the changelog must hold and does not. */
export function missingIn(changelog: string, operations: readonly Operation[]): string[] {
  return deprecatedIn(operations)
    .map(({ name }) => `\`${name}\``)
    .filter((name) => !changelog.includes(name));
}

const BEGIN = '<!-- Deprecations: written by `node tools/bootstrap.mjs docs`. -->';
const END = '<!-- End of the deprecations. -->';

/** The page with its table made anew. */
export function withDeprecations(page: string, operations: readonly Operation[]): string {
  const [before, rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${BEGIN} with ${END}`);
  return `${before}${BEGIN}\n\n${tableOf(deprecatedIn(operations))}\n\n${END}${after}`;
}

function tableOf(all: readonly Deprecated[]): string {
  if (all.length === 0) return 'Nothing is deprecated.';
  const rows = all.map(({ name, deprecated: { since, sunset, link } }) => [
    `\`${name}\``,
    since,
    sunset,
    `<${link}>`,
  ]);
  return markdownTable([['What', 'Since', 'Sunset', 'Use instead'], ...rows]);
}
