import type { Language } from './formats';

/** As the server has it. */
const MAX_MONEY = 99_999_999.99;

/**
 * Euros, with comma or point before the cents and optional groups of thousands. Null for other text, and for an ambiguous
 * amount: "1.234" is a thousand in German and a euro in English.
 */
export function readMoney(text: string): number | null {
  const plain = text.replaceAll(/[\s€]/g, '');
  const parts = /^(\d{1,3}(?:([.,])\d{3})(?:\2\d{3})*|\d+)(?:([.,])(\d{1,2}))?$/.exec(plain);
  if (!parts) return null;
  const [, whole = '', group, decimal, cents] = parts;
  if (group !== undefined && (group === decimal || (decimal === undefined && whole.length < 8))) return null;
  const value = Number(`${whole.replaceAll(/[.,]/g, '')}.${cents ?? '0'}`);
  return value <= MAX_MONEY ? value : null;
}

/** An amount as it is typed: no currency and no groups. */
export function typedMoney(language: Language): (euros: number) => string {
  return (euros) => euros.toFixed(2).replace('.', language === 'de' ? ',' : '.');
}

/** EUR with at most two decimals as whole cents, so that sums are exact. */
export function inCents(euros: number): number {
  return Math.round(euros * 100);
}
