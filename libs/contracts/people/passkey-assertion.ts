import { Text } from '../calls/fields';

/** Base64url texts of the browser. */
export const MAX_CREDENTIAL_ID_LENGTH = 1_400;
export const MAX_PART_LENGTH = 10_000;

/** The authenticator's answer, each part in base64url. */
export class PasskeyAssertion {
  @Text({ minLength: 1, maxLength: MAX_CREDENTIAL_ID_LENGTH }) credential_id!: string;
  @Text({ minLength: 1, maxLength: MAX_PART_LENGTH }) client_data!: string;
  @Text({ minLength: 1, maxLength: MAX_PART_LENGTH }) authenticator_data!: string;
  @Text({ minLength: 1, maxLength: MAX_PART_LENGTH }) signature!: string;
}
