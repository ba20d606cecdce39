import { invalid, type Problem } from '@offizin/contracts/errors';
import type { PreferencesBody } from '@offizin/contracts/sessions';

const UNDO_SECONDS = [0, 5, 10];

/** What the field decorators cannot say. Throws `Refused` (invalid_request). */
export function checkPreferences(body: PreferencesBody): void {
  const { time_zone: zone, undo_seconds: undo, order_columns: columns = [] } = body;
  const problems: Problem[] = [];
  if (zone !== undefined && !isTimeZone(zone)) {
    problems.push({ field: 'time_zone', message: 'must be an IANA time zone, such as Europe/Berlin' });
  }
  if (undo !== undefined && !UNDO_SECONDS.includes(undo)) {
    problems.push({ field: 'undo_seconds', message: `must be one of ${UNDO_SECONDS.join(', ')}` });
  }
  if (columns.length > 0 && !columns.includes('number')) {
    problems.push({ field: 'order_columns', message: 'must have number' });
  }
  if (problems.length > 0) throw invalid(problems);
}

/** Intl also takes offsets such as +01:00, which have no summer time. */
function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
