import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { markdownTable } from './markdown-table';

/** Of JSON Schema only what deploy/chart/values.schema.json uses. */
interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
}

export interface ChartValue {
  /** `apps.*.replicas`: a star stands for any name. */
  path: string;
  /** Undefined where names with different defaults share a row. */
  fallback: unknown;
  description: string;
}

const read = (name: string): string => readFileSync(join(checkoutRoot, 'deploy/chart', name), 'utf8');

/** Every value of the chart, in the order of its schema. */
export function chartValues(): ChartValue[] {
  const schema = JSON.parse(read('values.schema.json')) as Schema & { definitions: Record<string, Schema> };
  const resolved = ({ $ref, ...own }: Schema): Schema => ({
    ...schema.definitions[$ref?.split('/').at(-1) ?? ''],
    ...own,
  });
  const valuesBelow = (path: string[], given: Schema, defaults: unknown[]): ChartValue[] => {
    const { description, properties, additionalProperties } = resolved(given);
    // What has a description is one value, also when its parts are described elsewhere.
    if (given.description === undefined && properties !== undefined)
      return Object.entries(properties).flatMap(([name, inner]) =>
        valuesBelow(
          [...path, name],
          inner,
          defaults.map((one) => memberOf(one, name)),
        ),
      );
    if (given.description === undefined && typeof additionalProperties === 'object')
      return valuesBelow(
        [...path, '*'],
        additionalProperties,
        defaults.flatMap((one) => Object.values((one ?? {}) as Record<string, unknown>)),
      );
    const isSame = new Set(defaults.map((one) => JSON.stringify(one))).size === 1;
    return [
      { path: path.join('.'), fallback: isSame ? defaults[0] : undefined, description: description ?? '' },
    ];
  };
  return valuesBelow([], schema, [parse(read('values.yaml'))]);
}

function memberOf(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | undefined)?.[name];
}

/** docs/operate/chart.md, without its first line. */
export function chartPage(): string {
  const rows = chartValues().map(({ path, fallback, description }) => [
    `\`${path}\``,
    defaultOf(fallback),
    description,
  ]);
  return `
# Values of the chart

Every value of \`deploy/chart\`; [operations.md](operations.md#kubernetes) has the steps. A star stands for the name of an
app, a service or a connector. Where no default is shown, \`values.yaml\` has it. Peers are those of a
[NetworkPolicy](https://kubernetes.io/docs/concepts/services-networking/network-policies/). Unknown values are refused.

${markdownTable([['Value', 'Default', 'Meaning'], ...rows])}
`;
}

function defaultOf(value: unknown): string {
  const text = value === '' ? "''" : JSON.stringify(value);
  return text === undefined || text.length > 24 ? '' : `\`${text.replaceAll(/^"|"$/g, '')}\``;
}
