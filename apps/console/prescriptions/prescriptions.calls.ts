import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import type { PrescriptionSummary } from '@offizin/contracts/requests/prescriptions';
import { addressOfDocument, call, callDocument } from '../calls/api';
import { readableName } from '../text/customer-name';
import type { PrescriptionFilters } from './prescription-search';

/**
 * The calls of the prescriptions screen. Nothing else in this folder speaks HTTP. Each of them is an entry of the audit log:
 * so nothing is asked again by itself but what was erased (live/use-live.ts), and nothing is kept once it has left the screen.
 */

export type PrescriptionRow = PrescriptionSummary;

const PRESCRIPTIONS = '/api/v2/public/orgs/{orgId}/prescriptions';
const PRESCRIPTION = `${PRESCRIPTIONS}/{prescriptionId}` as const;
const RECEIPT = `${PRESCRIPTION}/receipt.pdf` as const;
const PAGE_ROWS = 100;
const ONCE = { staleTime: 'static', gcTime: 0 } as const;

export function prescriptionList(filters: PrescriptionFilters) {
  return infiniteQueryOptions({
    queryKey: ['prescriptions', 'list', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', PRESCRIPTIONS, {
        query: { ...filters, limit: PAGE_ROWS, cursor },
        signal,
      }),
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
    ...ONCE,
  });
}

export function prescriptionDetail(prescriptionId: string) {
  return queryOptions({
    queryKey: ['prescriptions', 'detail', prescriptionId],
    queryFn: ({ signal }) => call('GET', PRESCRIPTION, { path: { prescriptionId }, signal }),
    ...ONCE,
  });
}

export function readToken(prescriptionId: string): Promise<EPrescription> {
  return call('GET', `${PRESCRIPTION}/e-prescription`, { path: { prescriptionId } });
}

export function receiptBytes(prescriptionId: string): Promise<ArrayBuffer> {
  return callDocument(RECEIPT, { path: { prescriptionId } });
}

/** Where the browser loads the receipt itself, as a file to save. */
export function receiptAddress(prescriptionId: string): string {
  return addressOfDocument(RECEIPT, { path: { prescriptionId } });
}

/** An erasure leaves neither address nor name; an ingest has one of them. */
export function isErased(row: PrescriptionRow): boolean {
  return [row.customer_email, row.customer_first_name, row.customer_last_name].every(
    (value) => value === null,
  );
}

/** Null without a name, and after an erasure. */
export function nameOf(row: Pick<PrescriptionRow, 'customer_first_name' | 'customer_last_name'>) {
  const { customer_first_name: first, customer_last_name: last } = row;
  return readableName([first, last].filter(Boolean).join(' '));
}
