import { Flag, Int, Nested, OneOf, QueryText, Text, Timestamp } from '../calls/fields';
import { internalOperation, MAX_BODY_BYTES, operation } from '../calls/operation';
import { Described } from '../calls/schema';
import { TestMark } from '../calls/test-mark';
import { CallbackOwner } from './callbacks';
import { STEP_NAMES } from './certification-steps';

/** What an integration has really done at a test shop; the steps are in certification-steps.ts. */

@Described('What is done in a step, for people')
export class StepText {
  @Text({ description: 'In German' }) de!: string;
  @Text({ description: 'In English' }) en!: string;
}

@Described('A step of the certification, and when the integration did it first')
export class CertifiedStep {
  @OneOf(STEP_NAMES, { description: 'The step, for programs' }) name!: string;
  @Nested(() => StepText, { description: 'What is done, for people' }) text!: StepText;
  @Timestamp({ nullable: true, description: 'When it was done first, in UTC; null: not yet' })
  done_at!: string | null;
  @Text({
    nullable: true,
    description: 'X-Request-Id of that call; of an event its webhook-id; null: not yet',
  })
  request_id!: string | null;
}

@Described('What one integration has done at a test shop. At another shop no step counts')
export class CertificationResponse {
  @Nested(() => CertifiedStep, { list: { maxItems: STEP_NAMES.length }, description: 'All of them' })
  steps!: CertifiedStep[];
  @Flag({ description: 'Every step is done' }) complete!: boolean;
  @TestMark() test?: boolean;
}

const PATH = '/api/v1/certification';

export const readCertification = operation({
  name: 'certification.read-external',
  summary: 'Read which steps of the certification this key has done at a test shop',
  via: 'http',
  access: 'connector',
  path: PATH,
  reply: CertificationResponse,
});

export const restartCertification = operation({
  name: 'certification.restart-external',
  summary: 'Begin the certification again: no step is done',
  via: 'http',
  access: 'connector',
  method: 'DELETE',
  path: PATH,
  maxBodyBytes: MAX_BODY_BYTES,
  statuses: [204],
});

export class KeyCertificationQuery {
  @QueryText({ description: 'A test shop of the organization' }) shop_id!: string;
}

export const readKeyCertification = operation({
  name: 'api-keys.certification',
  summary: 'Read which steps of the certification a connector key has done at a test shop',
  access: 'settings.read',
  path: '/api/v2/public/orgs/{orgId}/api-keys/{keyId}/certification',
  query: KeyCertificationQuery,
  reply: CertificationResponse,
});

/** Of a delivery to the callback at a test shop. */
export class ObservedDeliveryBody extends CallbackOwner {
  @Text({ format: 'uuid' }) delivery_id!: string;
  @Flag() is_forged!: boolean;
  @Int({ nullable: true }) status!: number | null;
}

export class ObservedDeliveryResponse {
  @Flag({ description: 'It counts for a step' }) counts!: boolean;
}

/** Reported by webhook-worker, where order-core awaits a step (callbacks.ts). */
export const observeDelivery = internalOperation({
  name: 'certification.observe-delivery',
  summary: 'How a partner answered a delivery at a test shop',
  body: ObservedDeliveryBody,
  reply: ObservedDeliveryResponse,
});
