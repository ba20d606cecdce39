import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { invalid, Refused, requireAsRead } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  type FourEyes,
  type FourEyesRule,
  getReviewSettings,
  readFourEyes,
  type ReviewSettings,
  type ReviewSettingsBody,
  setReviewSettings,
} from '@offizin/contracts/requests/review-settings';
import { Database } from '@offizin/pg/database';
import { appendAudit, auditActorOf } from '../../audit/audit.store';
import { assertConfirmed, liveTransaction } from '../../callers/live-caller.store';
import { findReviewSettings, saveReviewSettings } from './review-settings.store';

/** How an organization reviews: read by all reviewers, changed by owners. */
@Controller()
export class ReviewSettingsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(getReviewSettings)
  async get({ caller }: Call<typeof getReviewSettings>): Promise<Answer<ReviewSettings>> {
    return ok(await findReviewSettings(this.database, caller.orgId));
  }

  @Handles(readFourEyes)
  async fourEyes({ body }: Call<typeof readFourEyes>): Promise<Answer<FourEyesRule>> {
    const { four_eyes, four_eyes_categories } = await findReviewSettings(this.database, body.org_id);
    return ok({ four_eyes, four_eyes_categories });
  }

  @Handles(setReviewSettings)
  async set({ caller, body }: Call<typeof setReviewSettings>): Promise<Answer<ReviewSettings>> {
    requireSensible(body);
    const { orgId } = caller;
    return liveTransaction(this.database, caller, async (tx) => {
      const before = await findReviewSettings(tx, orgId);
      const changedBy = auditActorOf(caller).actor;
      if (!(await saveReviewSettings(tx, orgId, { body, changedBy }))) {
        const { by } = await findReviewSettings(tx, orgId);
        const who = by ?? 'somebody';
        throw new Refused('conflict', `The settings were changed by ${who} meanwhile. Read them, then save.`);
      }
      requireAsRead(body, before, ['by', 'at']);
      const object = `organization:${orgId}`;
      await appendAudit(tx, caller, 'review-settings.set', object);
      const saved = await findReviewSettings(tx, orgId);
      if (isLoosened(before, saved)) {
        await assertConfirmed(tx, caller);
        await appendAudit(tx, caller, 'review-settings.loosen-four-eyes', object);
      }
      return ok(saved);
    });
  }
}

const STRICTNESS: Readonly<Record<FourEyes, number>> = { off: 0, controlled: 1, all: 2 };

/** Requests that two people had to approve may now be approved by one. */
function isLoosened(before: ReviewSettings, saved: ReviewSettings): boolean {
  if (saved.four_eyes !== before.four_eyes) return STRICTNESS[saved.four_eyes] < STRICTNESS[before.four_eyes];
  const { four_eyes_categories: kept } = saved;
  return (
    saved.four_eyes === 'controlled' &&
    before.four_eyes_categories.some((category) => !kept.includes(category))
  );
}

function requireSensible(body: ReviewSettingsBody): void {
  const { amber_days, red_days, templates, four_eyes_categories: categories = [] } = body;
  const nameless = categories.flatMap((category, index) =>
    category.trim() === '' ? [{ field: `four_eyes_categories[${index}]`, message: 'must not be blank' }] : [],
  );
  const blank = templates.flatMap(({ name, text }, index) => [
    ...(name.trim() === '' ? [{ field: `templates[${index}].name`, message: 'must not be blank' }] : []),
    ...(text.trim() === '' ? [{ field: `templates[${index}].text`, message: 'must not be blank' }] : []),
  ]);
  const days = red_days < amber_days ? [{ field: 'red_days', message: 'must be at least amber_days' }] : [];
  const problems = [...days, ...blank, ...nameless];
  if (problems.length > 0) throw invalid(problems);
}
