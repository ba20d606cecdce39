import { queryOptions } from '@tanstack/react-query';
import type {
  MessageTemplate,
  ReviewSettings,
  ReviewSettingsBody,
} from '@offizin/contracts/requests/review-settings';
import { call } from '../../calls/api';
import type { PlanTexts } from './plan.de';

/** How the organization reviews, and its texts for partners. */

type TemplateUse = MessageTemplate['use'];
const TEMPLATE_USES: readonly TemplateUse[] = ['ask', 'reject'];

const PATH = '/api/v2/public/orgs/{orgId}/settings/review';
const STALE_MS = 60_000;

export const reviewSettings = queryOptions({
  queryKey: ['review-settings'],
  queryFn: ({ signal }) => call('GET', PATH, { signal }),
  staleTime: STALE_MS,
});

export function saveReviewSettings(body: ReviewSettingsBody): Promise<ReviewSettings> {
  return call('PUT', PATH, { body });
}

/** Those of the organization; until it has chosen any, the given questions and refusals. */
export function templatesOf(
  { version, templates }: Pick<ReviewSettings, 'version' | 'templates'>,
  { questionTemplates, rejectTemplates }: Pick<PlanTexts, 'questionTemplates' | 'rejectTemplates'>,
): MessageTemplate[] {
  if (version > 0) return templates;
  const given = { ask: questionTemplates, reject: rejectTemplates };
  return TEMPLATE_USES.flatMap((use) => given[use].map((text) => ({ name: text.slice(0, 100), text, use })));
}

export function templatesFor(use: TemplateUse, templates: readonly MessageTemplate[]): MessageTemplate[] {
  return templates.filter((template) => template.use === use);
}
