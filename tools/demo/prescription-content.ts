import type { Person, Prescriber } from './people';
import { amountText, type DemoProduct } from './products';

/** What stands on a prescription of the demo, whatever paper it is on. */
export const PAPERS = ['private', 'electronic', 'scan', 'three-pages'] as const;
export type Paper = (typeof PAPERS)[number];

export interface PrescribedLine {
  product: DemoProduct;
  quantity: number;
  /** As directions to the patient. */
  directions: string;
}

export interface Prescription {
  /** Seed of what is drawn: equal seeds and contents give equal bytes. */
  seed: string;
  paper: Paper;
  patient: Person;
  prescriber: Prescriber;
  /** YYYY-MM-DD. */
  issuedOn: string;
  lines: PrescribedLine[];
  /** By hand on paper; `digital` and `altered` are signatures of the file. */
  signature: 'hand' | 'none' | 'digital' | 'altered';
}

/** `12.11.2026`. */
export function germanDate(day: string): string {
  return day.split('-').reverse().join('.');
}

export function prescribedAmount({ quantity, product }: PrescribedLine): string {
  return amountText(quantity, product);
}

/** `THC 18 % / CBD 1 %, unzerkleinert`; empty for a product without. */
export function strengthText({ thc, cbd, unit }: DemoProduct): string {
  if (thc === null || cbd === null) return '';
  return `THC ${thc} % / CBD ${cbd} %${unit === 'g' ? ', unzerkleinert' : ', ölige Lösung'}`;
}
