import { type Operation, subjectOf } from '@offizin/contracts/operation';
import { operations } from '@offizin/contracts/operations';

const MIB = 1024 * 1024;
const ACCESS: Partial<Record<Operation['access'], string>> = {
  connector: 'integration key',
  anyone: 'anyone',
  internal: 'own processes',
};

/** The whole interface in the order of `operations`, with a head. An operation between our processes has a NATS subject. */
export function routeTable(): string[][] {
  const rows = operations.map((op) => [
    op.path === '' ? 'NATS' : op.method,
    `\`${op.path === '' ? subjectOf(op) : op.path}\``,
    ACCESS[op.access] ?? `\`${op.access}\`${op.roleScope ? `, people \`${op.roleScope}\`` : ''}`,
    op.service,
    op.via,
    op.body ? `${op.maxBodyBytes / MIB} MiB` : 'none',
  ]);
  return [['Method', 'Path or subject', 'Access', 'Service', 'Via', 'Body'], ...rows];
}
