import { CalendarDate, type FieldOptions, Nested, Ruled, Text } from '../calls/fields';
import { Described } from '../calls/schema';

/** What a prescription says, as fields of a payload, a line and an ingest. */

const OPTIONAL = { optional: true, nullable: true } as const;

export const BirthDate = () =>
  CalendarDate({ ...OPTIONAL, isPast: true, description: 'Birth date of the patient' });

export const PrescriptionDate = () =>
  CalendarDate({ ...OPTIONAL, description: 'Day on which the prescription was issued' });

export const Dosage = () => Text({ ...OPTIONAL, description: 'How the product is to be taken' });

export const PrescriberNumber = () =>
  Ruled(
    isLifelongNumber,
    'must be a LANR: 9 digits, of which the seventh is the check digit',
    { pattern: '^\\d{9}$' },
    {
      ...OPTIONAL,
      description: 'Lifelong doctor number (LANR), 9 digits with a right check digit',
    },
  );

export const TaskId = (options: FieldOptions = {}) =>
  Ruled(
    isTaskId,
    'must be the id of an e-prescription, such as 160.000.033.491.280.78, with right check digits',
    { pattern: '^(?:\\d{3}\\.){5}\\d{2}$' },
    { ...options, description: 'Id of the e-prescription, with its dots and check digits' },
  );

export const AccessCode = (options: FieldOptions = {}) =>
  Ruled(
    (text) => /^[0-9a-f]{64}$/i.test(text),
    'must have 64 hexadecimal digits',
    { pattern: '^[0-9A-Fa-f]{64}$' },
    { ...options, description: 'Access code of the e-prescription: 64 hexadecimal digits' },
  );

@Described('Who prescribed')
export class Prescriber {
  @Text({ ...OPTIONAL, description: 'Full name with titles' }) name?: string | null;
  @Text({ ...OPTIONAL, description: 'Street and house number of the practice' }) street?: string | null;
  @Text({ ...OPTIONAL, description: 'Town of the practice' }) city?: string | null;
  @Text({ ...OPTIONAL, description: 'Postal code, as text: it may begin with 0' }) postal_code?:
    string | null;
  @Text({ ...OPTIONAL, description: 'Telephone number of the practice' }) phone?: string | null;
  @PrescriberNumber() number?: string | null;
}

@Described('The token of an e-prescription. Only task_id is answered; the access code is encrypted apart')
export class EPrescription {
  @TaskId() task_id!: string;
  @AccessCode() access_code!: string;
}

export class PrescriptionFields {
  @BirthDate() patient_birth_date?: string | null;
  @PrescriptionDate() prescription_date?: string | null;
  @Nested(() => Prescriber, { ...OPTIONAL, description: 'Who prescribed; null or left out: not said' })
  prescriber?: Prescriber | null;
  @Nested(() => EPrescription, {
    ...OPTIONAL,
    description: 'Token of an e-prescription, which needs no lines and no PDF; null or left out for none',
  })
  e_prescription?: EPrescription | null;
}

/** Source: KBV, rule of the Lebenslange Arztnummer: weights 4 and 9 over six digits, the seventh completes to ten. */
function isLifelongNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const sum = [...text.slice(0, 6)].reduce(
    (all, digit, at) => all + Number(digit) * (at % 2 === 0 ? 4 : 9),
    0,
  );
  return (10 - (sum % 10)) % 10 === Number(text[6]);
}

/** Source: gematik, E-Rezept-ID: ISO 7064 modulo 97-10, so that all 17 digits leave 1. */
function isTaskId(text: string): boolean {
  return /^(?:\d{3}\.){5}\d{2}$/.test(text) && BigInt(text.replaceAll('.', '')) % 97n === 1n;
}
