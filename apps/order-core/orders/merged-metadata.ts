import { invalid } from '@offizin/contracts/errors';
import { MAX_METADATA_KEYS } from '@offizin/contracts/metadata';
import { hasSqlState } from '@offizin/pg/database';

/** Raised by core.merged_metadata. Source: PostgreSQL, appendix A, program_limit_exceeded. */
const TOO_MANY_KEYS = '54000';

/** A refusal for merged metadata with too many keys; every other error as it is. */
export function metadataRefusal(error: unknown): unknown {
  if (!hasSqlState(error, TOO_MANY_KEYS)) return error;
  const message = `must have at most ${MAX_METADATA_KEYS} keys together with those that are stored`;
  return invalid([{ field: 'metadata', message }]);
}
