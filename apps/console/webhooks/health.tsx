import type { WebhookStats } from '@offizin/contracts/webhooks/webhook-health';
import { Chip } from '../controls/chip';
import { useFormats } from '../text/texts';
import css from './health.module.css';
import { failedShare, stateOf } from './webhook-state';
import { useWebhookTexts } from './webhook-texts';
import type { Webhook } from './webhooks.calls';

/** Attempts by hour, over 24 hours: the height is their number, the red part failed. */
export function HourBars({ stats }: { stats: WebhookStats }) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const most = Math.max(1, ...stats.hours.map(({ delivered, failed }) => delivered + failed));
  return (
    <div className={css.bars} role="img" aria-label={texts.health(stats.delivered, stats.failed)}>
      {stats.hours.map(({ hour, delivered, failed }) => (
        <span
          key={hour}
          className={css.bar}
          title={texts.hour(formats.time(hour), delivered, failed)}
          aria-hidden
        >
          <span className={css.failed} style={{ height: `${(failed / most) * 100}%` }} />
          <span className={css.delivered} style={{ height: `${(delivered / most) * 100}%` }} />
        </span>
      ))}
    </div>
  );
}

/** The same as figures. */
export function HealthFigures({ stats }: { stats: WebhookStats }) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const share = failedShare(stats);
  if (share === null) return <span className={css.figures}>{texts.noAttempts}</span>;
  return (
    <span className={css.figures} data-failed={share > 0}>
      {texts.failedShare(share)} · {texts.p95(formats.number(stats.p95_ms ?? 0))}
    </span>
  );
}

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
