import { getSystemErrorMap } from 'node:util';
import { CommanderError } from 'commander';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import {
  Connection,
  Forbidden,
  OffizinError,
  RateLimited,
  Timeout,
  Unauthorized,
} from '../../clients/typescript/src/errors';
import { jsonOf, note, styled } from './output';
import { StoppedImport } from './tables/import-command';

/** What went wrong, for a person and for a program. */
export interface Failure {
  error: string;
  message: string;
  details?: readonly { field: string; message: string }[];
  request_id?: string;
  /** What to do. */
  remedy?: string;
}

const USAGE = 'usage';

export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof CommanderError) {
    return { error: USAGE, message: thrown.message.replace(/^error: /, '') };
  }
  // What Node.js throws for a name with several addresses has no message.
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return failureOf(thrown.errors[0]);
  const message = thrown instanceof Error ? (ofSystem(thrown) ?? thrown.message) : String(thrown);
  if (thrown instanceof StoppedImport) return { ...failureOf(thrown.cause), message };
  if (thrown instanceof OffizinError) {
    const { code, details, requestId } = thrown;
    const remedy = remedyOf(thrown);
    return {
      error: code,
      message,
      ...(details.length > 0 && { details }),
      ...(requestId !== null && { request_id: requestId }),
      ...(remedy !== undefined && { remedy }),
    };
  }
  if (thrown instanceof Refused) {
    return { error: thrown.code, message, ...(thrown.details && { details: thrown.details }) };
  }
  if (thrown instanceof Unreachable) return { error: thrown.code, message };
  return { error: 'failed', message };
}

/** A failure of the operating system in words, without the name of its code: `ENOENT` says nothing to a person. */
function ofSystem({ errno, path, address, port }: SystemError): string | undefined {
  const [, text] = (errno === undefined ? undefined : getSystemErrorMap().get(errno)) ?? [];
  if (text === undefined) return undefined;
  const place = path ?? (address === undefined ? undefined : `${address}:${port}`);
  return place === undefined ? `${text}.` : `${place}: ${text}.`;
}

interface SystemError extends NodeJS.ErrnoException {
  address?: string;
  port?: number;
}

function remedyOf(error: OffizinError): string | undefined {
  if (error instanceof Connection || error instanceof Timeout)
    return 'Start the installation, or name another one by --base-url.';
  if (error instanceof Unauthorized) return 'Name a key that is valid by --api-key or OFFIZIN_API_KEY.';
  if (error instanceof Forbidden) return 'Use a key with that scope: offizin keys create --scopes.';
  if (error instanceof RateLimited) return 'Wait, and run it again.';
  return undefined;
}

/** Options that are named otherwise than the field that they fill. */
const OPTION_OF: Readonly<Record<string, string>> = {
  shop_id: 'shop',
  org_id: 'org',
  expires_at: 'expires',
  event_types: 'events',
};

/** The option that fills a field, if the command has it. */
function optionOf(field: string, options: readonly string[]): string {
  const [name = ''] = field.split(/[.[]/, 1);
  const option = `--${(OPTION_OF[name] ?? name).replaceAll('_', '-')}`;
  return options.includes(option) ? option : field;
}

interface Asked {
  json: boolean;
  help: string;
  /** The long names of the command's options. */
  options: readonly string[];
}

/**
 * On the standard error: one line of JSON, or lines for a person that end with where the help is. A person reads each
 * problem once, under the name of the option.
 */
export function reportFailure(failure: Failure, { json, help, options }: Asked): void {
  if (json) {
    note(jsonOf({ ...failure, help }));
    return;
  }
  const { message, details = [], request_id, remedy } = failure;
  const named = details.reduce(
    (text, { field }) => text.replace(`${field}: `, `${optionOf(field, options)}: `),
    message,
  );
  note(named, `${styled('red', 'offizin:', process.stderr)} `);
  for (const { field, message: problem } of details)
    if (!named.includes(problem)) note(`  ${optionOf(field, options)}: ${problem}`);
  if (request_id !== undefined) note(`  request ${request_id}`);
  if (remedy !== undefined) note(remedy);
  note(`Help: ${help}`);
}
