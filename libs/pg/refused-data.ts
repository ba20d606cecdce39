import { DatabaseError } from 'pg';

/** Classes of PostgreSQL's codes that blame the data: exception, integrity, program limit. Source: its appendix A. */
const DATA_CLASSES = /^(22|23|54)/;

/**
 * True when the statement failed for the data that it was given, so that repeating it fails again. Errors of the server,
 * of locks, of rights and of a missing table are not among them: they end without a change of the data.
 */
export function isRefusedData(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && DATA_CLASSES.test(error.code ?? '');
}
