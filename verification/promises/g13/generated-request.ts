import { fillPath } from '@offizin/contracts/calls/path-template';
import { fieldsOf } from '@offizin/contracts/calls/schema';
import { organizationOperations } from '@offizin/contracts/operations';
import type { Random } from '../../../tools/demo/random';
import { OPERATION_ROWS } from '@offizin/testkit/operation-rows';
import type { Ids } from '@offizin/testkit/organization-things';

export interface GeneratedRequest {
  method: string;
  /** Includes path parameters and query. */
  path: string;
  body: string | undefined;
}

const HOSTILE: readonly unknown[] = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'ä'.repeat(300),
  "' OR 1=1; --",
  '*',
  '>',
  'rpc.>',
  '../../etc/passwd',
  '%00',
  '[object]',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59+14:00',
  [],
  [[]],
  {},
  { constructor: 1 },
  { a: { b: { c: [] } } },
  true,
  false,
  null,
  -1,
  0,
  1.005,
  1e308,
  2 ** 53 + 1,
  -0.001,
  100_000_000,
];
/** Operations that would end the walk, because they change its key. */
const SKIPPED = ['api-keys.revoke', 'api-keys.rotate'];
const OPERATIONS = organizationOperations.filter(({ name }) => !SKIPPED.includes(name));
const STRANGE_SHARE = 0.08;

/** The valid call of an operation, in which some values are hostile or belong to something else. */
export function generatedRequest(random: Random, things: Ids): GeneratedRequest {
  const op = random.pick(OPERATIONS);
  const ids: Ids = { ...things, fresh: random.digits(12) };
  const row = OPERATION_ROWS[op.name];
  const strange = (value: unknown): unknown =>
    random.chance(STRANGE_SHARE) ? random.pick([...HOSTILE, ...Object.values(ids)]) : value;
  const inside = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return strange(value);
    if (Array.isArray(value)) return strange(value.map(inside));
    const entries = Object.entries(value).map(([name, one]) => [name, inside(one)] as const);
    return strange(Object.fromEntries(entries.filter(() => !random.chance(STRANGE_SHARE / 2))));
  };
  const path = fillPath(op.path, (name) => {
    const text = inText(name === 'orgId' ? ids[name] : strange(ids[name] ?? random.digits(8)));
    return /^\.*$/.test(text) ? 'x' : text;
  });
  const valid: Record<string, unknown> = { limit: 5, ...row?.query?.(ids) };
  const names = op.query === null ? [] : [...fieldsOf(op.query).keys()];
  const query = names
    .filter((name) => (name in valid ? random.chance(0.8) : random.chance(0.1)))
    .map((name) => `${name}=${inText(strange(valid[name] ?? random.pick(Object.values(ids))))}`);
  const body =
    op.body && JSON.stringify(inside({ ...row?.body?.(ids), ...(random.chance(0.05) && { x: 1 }) }));
  return { method: op.method, path: `${path}?${query.join('&')}`, body: body ?? undefined };
}

function inText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return encodeURIComponent(text.toWellFormed());
}
