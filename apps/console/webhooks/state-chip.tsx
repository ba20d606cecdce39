import { Chip } from '../controls/chip';
import { useFormats } from '../text/texts';
import { stateOf } from './webhook-state';
import { useWebhookTexts } from './webhook-texts';
import type { Webhook } from './webhooks.calls';

const TONES = { active: 'plain', failing: 'danger', paused: 'warn', off: 'danger' } as const;

export function StateChip({ webhook }: { webhook: Webhook }) {
  const texts = useWebhookTexts();
  const state = stateOf(webhook);
  return <Chip tone={TONES[state]}>{texts.states[state]}</Chip>;
}

/** Since when, and why; null of an endpoint that is well. */
export function useStateSentence(webhook: Webhook): string | null {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const { disabled_reason: reason, disabled_at: at, failing_since: failing } = webhook;
  switch (stateOf(webhook)) {
    case 'off':
      return reason && texts.offWhy[reason](at === null ? '' : formats.dateTime(at));
    case 'failing':
      return failing && texts.failingSince(formats.dateTime(failing));
    case 'paused':
      return texts.pausedHint;
    case 'active':
      return null;
  }
}
