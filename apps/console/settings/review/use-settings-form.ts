import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type {
  MessageTemplate,
  ReviewSettings,
  ReviewSettingsBody,
} from '@offizin/contracts/requests/review-settings';
import type { PlanTexts } from '../../requests/review/plan.de';
import { usePlanTexts } from '../../requests/review/plan-texts';
import { reviewSettings, saveReviewSettings, templatesOf } from '../../requests/review/review-settings';
import { useSettingsTexts } from '../forms/settings-texts';
import { useReload } from '../forms/use-act';
import { ApiError } from '../../calls/api';
import { sentenceOf } from '../../messages/fault';
import { withConfirmation } from '../../session/confirmation';
import { toasts } from '../../messages/toasts';
import { useTexts } from '../../text/texts';

/** The contents of the fields. */
export interface SettingsDraft {
  marks: ReviewSettings['marks'];
  onlyForThc: boolean;
  fourEyes: ReviewSettings['four_eyes'];
  /** Separated by commas. */
  categories: string;
  amberDays: string;
  redDays: string;
  templates: readonly MessageTemplate[];
}

export interface SettingsForm {
  draft: SettingsDraft;
  change: (change: Partial<SettingsDraft>) => void;
}

/** News of the settings replace the fields only while nothing in them has been changed. */
export function useSettingsForm(settings: ReviewSettings) {
  const texts = useTexts();
  const { review } = useSettingsTexts();
  const client = useQueryClient();
  const given = usePlanTexts();
  const [base, setBase] = useState(settings);
  const [draft, setDraft] = useState(() => draftOf(settings, given));
  const isDirty = JSON.stringify(draft) !== JSON.stringify(draftOf(base, given));
  const [mistakes, setMistakes] = useState<Record<string, string>>({});
  const take = (taken: ReviewSettings) => {
    setBase(taken);
    setDraft(draftOf(taken, given));
  };
  if (settings.version !== base.version && !isDirty) take(settings);
  const saving = useMutation({
    mutationFn: (body: ReviewSettingsBody) => withConfirmation(() => saveReviewSettings(body)),
    onSuccess: (saved) => {
      client.setQueryData(reviewSettings.queryKey, saved);
      take(saved);
      toasts.show({ text: review.saved });
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const body = bodyOf(draft, base.version);
    const wrong = (['amber_days', 'red_days'] as const).filter((field) => !isDays(body[field]));
    setMistakes(Object.fromEntries(wrong.map((field) => [field, review.notANumber])));
    if (wrong.length === 0) saving.mutate(body);
  };
  const readAgain = useReload(() => client.query({ ...reviewSettings, staleTime: 0 }), take);
  const reload = () => {
    saving.reset();
    readAgain();
  };
  const { error, isPending } = saving;
  const refused = error instanceof ApiError ? (error.details ?? []) : [];
  const isConflict = error instanceof ApiError && error.code === 'conflict';
  const failure = isConflict
    ? review.conflict
    : error && refused.length === 0
      ? sentenceOf(error, texts)
      : null;
  const errors = {
    ...Object.fromEntries(refused.map(({ field, message }) => [field, message])),
    ...mistakes,
  };
  const change = (changed: Partial<SettingsDraft>) => {
    setDraft((before) => ({ ...before, ...changed }));
  };
  return { draft, change, submit, reload, errors, failure, isConflict, isDirty, isPending };
}

function draftOf(settings: ReviewSettings, given: PlanTexts): SettingsDraft {
  return {
    marks: settings.marks,
    onlyForThc: settings.marks_only_for_thc,
    fourEyes: settings.four_eyes,
    categories: settings.four_eyes_categories.join(', '),
    amberDays: String(settings.amber_days),
    redDays: String(settings.red_days),
    templates: templatesOf(settings, given),
  };
}

function bodyOf(
  { marks, onlyForThc, fourEyes, categories, amberDays, redDays, templates }: SettingsDraft,
  version: number,
): ReviewSettingsBody {
  const [amber_days, red_days] = [Number(amberDays), Number(redDays)];
  const lists = { marks: [...marks], templates: [...templates] };
  const listed = categories.split(',').flatMap((category) => category.trim() || []);
  const eyes = { four_eyes: fourEyes, four_eyes_categories: listed };
  return { ...lists, ...eyes, marks_only_for_thc: onlyForThc, amber_days, red_days, version };
}

function isDays(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 3650;
}
