import { Flag, Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { consoleOperation, internalOperation } from '../calls/operation';

/** How an organization reviews order requests: texts for partners, marks that are asked, age of a prescription. */

export const MARKS = ['signature_seen', 'prescriber_checked', 'dose_plausible'] as const;
export type Mark = (typeof MARKS)[number];
/** What a person keeps about a prescription: the marks, and that further pages need not be read. */
export const KEPT_MARKS = [...MARKS, 'rest_not_needed'] as const;
export type KeptMark = (typeof KEPT_MARKS)[number];
export const TEMPLATE_USES = ['ask', 'reject'] as const;
export type TemplateUse = (typeof TEMPLATE_USES)[number];
export const MAX_TEMPLATES = 50;
/** Which requests two people approve: none, those with a controlled product, all. */
export const FOUR_EYES = ['off', 'controlled', 'all'] as const;
export type FourEyes = (typeof FOUR_EYES)[number];
export const MAX_CATEGORIES = 50;

/** Age of a prescription in days at which it is doubtful, and at which it is surely too old. */
export const DEFAULT_AMBER_DAYS = 28;
export const DEFAULT_RED_DAYS = 90;
const MAX_DAYS = 3650;

export class MessageTemplate {
  @Text({ minLength: 1, maxLength: 100 }) name!: string;
  @Text({ minLength: 1, maxLength: 2000, description: 'For the partner; no health data' }) text!: string;
  @OneOf(TEMPLATE_USES, { description: 'For a question to the partner, or the message of a rejection' })
  use!: TemplateUse;
}

class ReviewRules {
  @OneOf(MARKS, { many: true, description: 'What the pharmacist must mark before approving' }) marks!: Mark[];
  @Flag({ description: 'The marks are asked only for a request with a line that has THC' })
  marks_only_for_thc!: boolean;
  @Int({ minimum: 1, maximum: MAX_DAYS, description: 'An older prescription is doubtful' })
  amber_days!: number;
  @Int({
    minimum: 1,
    maximum: MAX_DAYS,
    description: 'An older prescription is too old; at least amber_days',
  })
  red_days!: number;
  @Nested(() => MessageTemplate, { list: { maxItems: MAX_TEMPLATES } }) templates!: MessageTemplate[];
  @Int({ description: 'The version that was changed, 0 for the defaults; 409 when there is a newer one' })
  version!: number;
}

export class ReviewSettingsBody extends ReviewRules {
  @OneOf(FOUR_EYES, {
    optional: true,
    description:
      'Which requests two people approve: controlled are those with THC or of a category; left out, it stays',
  })
  four_eyes?: FourEyes;
  @Text({
    optional: true,
    minLength: 1,
    maxLength: 100,
    listOf: { maxItems: MAX_CATEGORIES },
    description: 'Categories that count as controlled, too; left out, they stay',
  })
  four_eyes_categories?: string[];
  @Text({ optional: true, nullable: true, description: 'As it was read; another one is a 400' })
  by?: string | null;
  @Timestamp({ optional: true, nullable: true, description: 'As it was read; another one is a 400' })
  at?: string | null;
}

const Categories = () => Text({ minLength: 1, maxLength: 100, listOf: { maxItems: MAX_CATEGORIES } });

export class ReviewSettings extends ReviewRules {
  @OneOf(FOUR_EYES) four_eyes!: FourEyes;
  @Categories() four_eyes_categories!: string[];
  @Text({ nullable: true, description: 'Who changed them last' }) by!: string | null;
  @Timestamp({ nullable: true }) at!: string | null;
}

const settings = {
  service: 'order-core',
  path: '/api/v2/public/orgs/{orgId}/settings/review',
  reply: ReviewSettings,
} as const;

export const getReviewSettings = consoleOperation({
  ...settings,
  name: 'settings.get-review',
  summary: 'Read how order requests are reviewed',
  access: 'order_requests.read',
});

export const setReviewSettings = consoleOperation({
  ...settings,
  name: 'settings.set-review',
  summary: 'Choose how order requests are reviewed; weaker two-person approval needs a recent confirmation',
  refuses: ['conflict', 'forbidden'],
  access: 'review.settings',
  method: 'PUT',
  body: ReviewSettingsBody,
});

export class FourEyesBody {
  @Text({ minLength: 1 }) org_id!: string;
}

export class FourEyesRule {
  @OneOf(FOUR_EYES) four_eyes!: FourEyes;
  @Categories() four_eyes_categories!: string[];
}

/** The catalog asks before a person changes what two-person approval looks at. */
export const readFourEyes = internalOperation({
  name: 'settings.four-eyes',
  summary: 'Which order requests of an organization two people approve',
  service: 'order-core',
  body: FourEyesBody,
  reply: FourEyesRule,
});
