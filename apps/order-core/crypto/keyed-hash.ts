import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA256 with an organization's data key. It finds equal texts without storing them; the table alone does not
 * allow guessing names or addresses. `purpose` separates hashes of different columns.
 */
export function keyedHash(dataKey: Buffer, purpose: string, text: string): Buffer {
  return createHmac('sha256', dataKey).update(`${purpose}\n`).update(text).digest();
}

/** Case-insensitive hash of a customer's e-mail; the same for order requests, prescriptions and erasures. */
export function emailHash(dataKey: Buffer, email: string): Buffer {
  return keyedHash(dataKey, 'customer e-mail', email.trim().normalize('NFC').toLowerCase());
}
