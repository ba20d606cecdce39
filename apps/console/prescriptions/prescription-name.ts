import { readableName } from '../text/customer-name';
import type { PrescriptionRow } from './prescriptions.calls';

/** Null without a name, and after an erasure. */
export function nameOf(row: Pick<PrescriptionRow, 'customer_first_name' | 'customer_last_name'>) {
  const { customer_first_name: first, customer_last_name: last } = row;
  return readableName([first, last].filter(Boolean).join(' '));
}
