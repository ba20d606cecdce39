import { DatabaseError } from 'pg';

/** Data exception, integrity, program limit. Source: PostgreSQL, appendix A. */
const DATA_CLASSES = /^(22|23|54)/;

/**
 * The statement failed because of its data, so a retry fails again. Errors of the server, locks, rights and missing
 * tables end without a change of the data.
 */
export function isRefusedData(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && DATA_CLASSES.test(error.code ?? '');
}
