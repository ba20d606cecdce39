/** The numbers that name a product on its pack: PZN and GTIN, with their check digits. */

/**
 * A PZN of 8 digits; one of 7 gets its leading zero. null for another text or a wrong check digit. Source: IFA, "Technical
 * hints regarding PZN coding": the digits times 1 to 7, modulo 11; numbers with the remainder 10 are not issued.
 */
export function pznOf(text: string): string | null {
  if (!/^\d{7,8}$/.test(text)) return null;
  const pzn = text.padStart(8, '0');
  return weighted(pzn.slice(0, 7), (place) => place + 1) % 11 === Number(pzn[7]) ? pzn : null;
}

/**
 * A GTIN-8, -12, -13 or -14 as 14 digits; null for another text or a wrong check digit. Source: GS1 General
 * Specifications, section 7.9: the digits times 3 and 1 in turn, from the right, with the check digit a multiple of 10.
 */
export function gtinOf(text: string): string | null {
  if (!/^(?:\d{8}|\d{12,14})$/.test(text)) return null;
  const gtin = text.padStart(14, '0');
  return weighted(gtin, (place) => (place % 2 === 0 ? 3 : 1)) % 10 === 0 ? gtin : null;
}

/** Prefix of the GTINs that GS1 Germany makes of PZNs (NTIN). */
const NTIN = /^04150(\d{8})\d$/;

/** The digits of the PZN in a GTIN of 14 digits, unchecked; null for a GTIN that is not an NTIN. */
export function pznDigitsIn(gtin: string): string | null {
  return NTIN.exec(gtin)?.[1] ?? null;
}

/**
 * The PZN in a PPN of the German issuer (11); null for another text or wrong check digits. Source: IFA, PPN-Code
 * Specification, appendix B: the ASCII values of the characters times 2, 3, and so on, modulo 97.
 */
export function pznInPpn(text: string): string | null {
  const [, numbered = '', pzn = '', check = ''] = /^(11(\d{8}))(\d\d)$/.exec(text) ?? [];
  const sum = [...numbered].reduce((total, digit, place) => total + digit.charCodeAt(0) * (place + 2), 0);
  return check !== '' && sum % 97 === Number(check) ? pznOf(pzn) : null;
}

/** A code of a product as it is stored: a GTIN of 14 digits. null for another text, or the NTIN of a wrong PZN. */
export function productCodeOf(text: string): string | null {
  const gtin = gtinOf(text);
  const digits = gtin === null ? null : pznDigitsIn(gtin);
  return digits !== null && pznOf(digits) === null ? null : gtin;
}

/**
 * What a PZN or a GTIN is looked up by: an NTIN by its PZN, and eight digits that are both by both. Empty for another
 * text.
 */
export function lookedUpAs(text: string): string[] {
  const pzn = pznOf(text);
  const gtin = gtinOf(text);
  const codes = [pzn, gtin === null ? null : (pznDigitsIn(gtin) ?? gtin)];
  return codes.filter((code) => code !== null);
}

function weighted(digits: string, weightAt: (place: number) => number): number {
  return [...digits].reduce((total, digit, place) => total + Number(digit) * weightAt(place), 0);
}
