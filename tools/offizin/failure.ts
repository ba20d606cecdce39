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
import { styled } from './output';
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
  const message = thrown instanceof Error ? thrown.message : String(thrown);
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

function remedyOf(error: OffizinError): string | undefined {
  if (error instanceof Connection || error instanceof Timeout)
    return 'Start the installation, or name another one by --base-url.';
  if (error instanceof Unauthorized) return 'Name a key that is valid by --api-key or OFFIZIN_API_KEY.';
  if (error instanceof Forbidden) return 'Use a key with that scope: offizin keys create --scopes.';
  if (error instanceof RateLimited) return 'Wait, and run it again.';
  return undefined;
}

/** On the standard error: one line of JSON, or lines for a person that end with where the help is. */
export function reportFailure(failure: Failure, { json, help }: { json: boolean; help: string }): void {
  if (json) {
    console.error(JSON.stringify({ ...failure, help }));
    return;
  }
  const { message, details = [], request_id, remedy } = failure;
  console.error(`${styled('red', 'offizin:', process.stderr)} ${message}`);
  for (const { field, message: problem } of details) console.error(`  ${field}: ${problem}`);
  if (request_id !== undefined) console.error(`  request ${request_id}`);
  if (remedy !== undefined) console.error(remedy);
  console.error(`Help: ${help}`);
}
