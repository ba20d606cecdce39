import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA256 with an organization's data key: finds equal texts without storing them, and who has the table alone
 * cannot try names or addresses against it. `purpose` keeps hashes of different columns apart.
 */
export function keyedHash(dataKey: Buffer, purpose: string, text: string): Buffer {
  return createHmac('sha256', dataKey).update(`${purpose}\n`).update(text).digest();
}

/** Of a customer's e-mail in any case; the same for order requests, prescriptions and erasures. */
export function emailHash(dataKey: Buffer, email: string): Buffer {
  return keyedHash(dataKey, 'customer e-mail', email.trim().normalize('NFC').toLowerCase());
}
