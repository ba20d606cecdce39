import { DatabaseError } from 'pg';

/** SQLSTATE classes that blame the data: exception, integrity, program limit. Source: PostgreSQL, appendix A. */
const DATA_CLASSES = /^(22|23|54)/;

/**
 * True if the statement failed because of its data, so a retry fails again. False for errors of the server, locks,
 * rights and missing tables: they end without a change of the data.
 */
export function isRefusedData(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && DATA_CLASSES.test(error.code ?? '');
}
