import { createHash } from 'node:crypto';
import {
  type CustomerFacts,
  type CustomerRecord,
  MAX_CUSTOMER_FACTS,
} from '@offizin/contracts/console/customer';
import type { Remark } from '@offizin/contracts/requests/remark';

/** Of all facts of a kind. A text that does not fit is only in its record. */
const MAX_CHARACTERS = 100_000;

/** Never left out in favour of a comment. */
const ALLERGY = /allerg|unvertr|intoler/i;

/** What the records of a person say, each of it once. Records are added from the newest to the oldest. */
export class CollectedFacts {
  private readonly names = new Kept<string>();
  private readonly phones = new Kept<string>();
  private readonly addresses = new Kept<string>();
  private readonly allergies = new Kept<Remark>();
  private readonly comments = new Kept<Remark>();
  private readonly notes = new Kept<string>();
  private count = 0;

  /** How many records were added. */
  get records(): number {
    return this.count;
  }

  add(records: readonly CustomerRecord[]): void {
    this.count += records.length;
    for (const { customer_name: name, address, request, notes } of records) {
      const { street, postal_code, city, phone } = address;
      addText(this.names, name);
      addText(this.phones, phone);
      addText(
        this.addresses,
        [street, [postal_code, city].filter(Boolean).join(' ')].filter(Boolean).join(', '),
      );
      notes.forEach((note) => addText(this.notes, note));
      request?.remarks.forEach((remark) => this.addRemark(remark));
    }
  }

  /** A comment on a line is about the line; an allergy is about the person, wherever it was sent. */
  private addRemark({ field, line, text }: Remark): void {
    const isAllergy = ALLERGY.test(field);
    if (!isAllergy && line !== null) return;
    const kept = isAllergy ? this.allergies : this.comments;
    kept.add(`${field} ${text}`, { field, line: null, text });
  }

  /** `unread`: how many older records were not added. */
  facts(unread: number): CustomerFacts {
    const { names, phones, addresses, allergies, comments, notes } = this;
    const remarks = [...allergies.values, ...comments.values].slice(0, MAX_CUSTOMER_FACTS);
    return {
      names: names.values,
      phones: phones.values,
      addresses: addresses.values,
      remarks,
      notes: notes.values,
      left_out: {
        names: names.size - names.values.length,
        phones: phones.size - phones.values.length,
        addresses: addresses.size - addresses.values.length,
        remarks: allergies.size + comments.size - remarks.length,
        notes: notes.size - notes.values.length,
      },
      unread,
    };
  }
}

function addText(kept: Kept<string>, text: string | null): void {
  const value = text?.normalize('NFC').trim() ?? '';
  if (value !== '') kept.add(value, value);
}

/** Distinct values in the order of their arrival, up to the limits. */
class Kept<Value> {
  readonly values: Value[] = [];
  /** Digests, so that values beyond the limits take little memory. */
  private readonly known = new Set<string>();
  private characters = 0;

  /** Also of what is left out. */
  get size(): number {
    return this.known.size;
  }

  add(text: string, value: Value): void {
    const same = text.normalize('NFC').replace(/\s+/g, ' ').toLowerCase();
    const digest = createHash('sha256').update(same).digest('base64url');
    if (this.known.has(digest)) return;
    this.known.add(digest);
    if (this.values.length === MAX_CUSTOMER_FACTS || this.characters + text.length > MAX_CHARACTERS) return;
    this.values.push(value);
    this.characters += text.length;
  }
}
