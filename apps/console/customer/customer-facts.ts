import type { CustomerRecord } from '@offizin/contracts/console/customer';
import type { Remark } from '@offizin/contracts/requests/remark';

export interface CustomerFacts {
  phones: string[];
  /** Each in one line. */
  addresses: string[];
  remarks: Remark[];
  notes: string[];
}

/** What the records say about the person, each of it once, as in the newest record that says it. */
export function factsOf(records: readonly CustomerRecord[]): CustomerFacts {
  const remarks = records.flatMap(
    ({ request }) => request?.remarks.filter(({ line }) => line === null) ?? [],
  );
  return {
    phones: distinct(records.map(({ address }) => address.phone)),
    addresses: distinct(
      records.map(({ address: { street, postal_code, city } }) =>
        [street, [postal_code, city].filter(Boolean).join(' ')].filter(Boolean).join(', '),
      ),
    ),
    remarks: [...new Map(remarks.map((remark) => [`${remark.field} ${remark.text}`, remark])).values()],
    notes: distinct(records.flatMap(({ notes }) => notes)),
  };
}

function distinct(texts: readonly (string | null)[]): string[] {
  return [...new Set(texts.flatMap((text) => text?.normalize('NFC').trim() || []))];
}
