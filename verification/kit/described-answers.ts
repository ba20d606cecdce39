import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { CONSOLE_DOOR } from '@offizin/contracts/console/console';
import type { ErrorCode } from '@offizin/contracts/calls/error-table';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { accessOf, type Operation } from '@offizin/contracts/calls/operation';
import { consoleDoorOperations } from '@offizin/contracts/operations';
import { isStaffScope } from '@offizin/contracts/people/scopes';
import { openApiDocument, pathsOf } from '@offizin/openapi/document';
import { ResponseCollection } from '@offizin/openapi/responses';
import { SchemaCollection } from '@offizin/openapi/schemas';
import { pathPattern } from '@offizin/contracts/calls/path-template';
import type { HttpAnswer } from './http';

/**
 * Compares every answer that a test receives with the published OpenAPI description, or behind the console's door with
 * its operations: the operation must describe its status, and the JSON body must match the schema. Answers without a
 * described path must be the contract's error.
 */
interface DescribedOperation {
  method: string;
  pattern: RegExp;
  pointer: string;
  statuses: Set<string>;
}

type Json = Record<string, unknown>;

/** One description, compiled once. */
class Description {
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly operations: DescribedOperation[];

  constructor(private readonly document: Json) {
    this.ajv.addSchema({ $id: 'openapi', ...document });
    this.operations = Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) => {
        const { responses } = operation as { responses?: Json };
        if (!responses) return [];
        return {
          method: method.toUpperCase(),
          pattern: pathPattern(path),
          pointer: `/paths/${escape(path)}/${method}`,
          statuses: new Set(Object.keys(responses)),
        };
      }),
    );
  }

  operation(method: string, path: string): DescribedOperation | undefined {
    return this.operations.find((candidate) => candidate.method === method && candidate.pattern.test(path));
  }

  validateBody(where: string, pointer: string, answer: HttpAnswer): void {
    const validate =
      this.validators.get(pointer) ?? this.ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` });
    this.validators.set(pointer, validate);
    if (validate(JSON.parse(answer.body.toString()))) return;
    throw new Error(`${where}: the body is not as described: ${this.ajv.errorsText(validate.errors)}`);
  }

  /** The value at a JSON pointer, following at most one reference. */
  resolve(pointer: string): { pointer: string; value: Json } {
    const value = pointer
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (at, part) => (at as Json)[part.replace(/~1/g, '/').replace(/~0/g, '~')],
        this.document,
      ) as Json;
    return typeof value['$ref'] === 'string' ? this.resolve(value['$ref'].slice(1)) : { pointer, value };
  }
}

const published = new Description(openApiDocument());
const ofConsole = new Description(consoleAnswers());

/** Answers outside any operation: unknown path, method not allowed. */
const EVERYWHERE = new Set([404, 405]);

/** Throws if the answer differs from the description. */
export function expectDescribed(method: string, url: string, answer: HttpAnswer): void {
  const fullPath = url.replace(/^https?:\/\/[^/]+/, '').split('?')[0] ?? '';
  const isConsole = fullPath.startsWith(`${CONSOLE_DOOR}/`);
  const description = isConsole ? ofConsole : published;
  const path = isConsole ? fullPath.slice(CONSOLE_DOOR.length) : fullPath;
  const operation = description.operation(method, path);
  const where = `${method} ${fullPath} -> ${answer.status}`;
  if (!operation?.statuses.has(String(answer.status))) {
    if (operation && !EVERYWHERE.has(answer.status))
      throw new Error(`${where}: the description has no such answer`);
    if (answer.status >= 400 && method !== 'HEAD')
      description.validateBody(where, '/components/schemas/ErrorBody', answer);
    return;
  }
  if (answer.status === 400) expectNamesOnce(where, answer);
  const response = description.resolve(`${operation.pointer}/responses/${answer.status}`);
  const content = (response.value['content'] ?? {}) as Json;
  const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
  if (Object.keys(content).length === 0) {
    if (answer.body.length > 0) throw new Error(`${where}: the description has no body here`);
    return;
  }
  if (!(type in content)) throw new Error(`${where}: the description has no ${type} here`);
  if (type === 'application/json')
    description.validateBody(where, `${response.pointer}/content/application~1json/schema`, answer);
}

/** A message follows its field's path, so it must not repeat the field's name. */
function expectNamesOnce(where: string, answer: HttpAnswer): void {
  const { details = [] } = JSON.parse(answer.body.toString()) as ErrorBody;
  for (const { field, message } of details) {
    const name = field
      .split('.')
      .at(-1)
      ?.replace(/\[\d+\]$/, '');
    const isOurs = field !== 'body' && !message.startsWith('is not a known ');
    // A path may hold it.
    const words = message.replace(/\S*\/\S*/g, '').split(/[^\w-]+/);
    if (isOurs && words.includes(name ?? ''))
      throw new Error(`${where}: the message of ${field} repeats its name: ${message}`);
  }
}

function escape(part: string): string {
  return part.replace(/~/g, '~0').replace(/\//g, '~1');
}

/** The answers of the operations behind the console's door, as OpenAPI describes answers. */
function consoleAnswers(): Json {
  const schemas = new SchemaCollection();
  const responses = new ResponseCollection(schemas);
  const operations = consoleDoorOperations.map((op) => ({
    ...op,
    access: accessOf(op, true),
    statuses: op.waitingReply ? [...op.statuses, 202] : op.statuses,
    refuses: [...op.refuses, ...refusalsOfDoor(op)],
  }));
  const paths = pathsOf(operations, (op) => ({ responses: responses.responsesOf(op) }));
  return { paths, components: { responses: responses.all(), schemas: schemas.all() } };
}

/** What the guards of the door and forwarding refuse, besides what follows from the operation (responses.ts). */
function refusalsOfDoor(op: Operation): ErrorCode[] {
  const needsProof = op.method !== 'GET' || typeof op.reply === 'string';
  return [
    'service_unavailable',
    'timeout',
    ...(isStaffScope(op.access) ? (['insufficient_scope'] as const) : []),
    ...(needsProof || op.path.includes('{orgId}') ? (['forbidden'] as const) : []),
  ];
}
