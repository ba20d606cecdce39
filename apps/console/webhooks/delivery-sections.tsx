import { Link } from '@tanstack/react-router';
import { DetailSection } from '../controls/detail-pane';
import { useFormats } from '../text/texts';
import { sentHeaders } from './sent';
import { useWebhookTexts } from './webhook-texts';
import type { DeliveryDetail } from './webhooks.calls';
import css from './delivery-sections.module.css';

type Attempt = DeliveryDetail['attempts'][number];

export function DeliverySections({ delivery }: { delivery: DeliveryDetail }) {
  const texts = useWebhookTexts();
  const { attempts, event } = delivery;
  const orderId = event?.metadata['order_id'];
  return (
    <>
      <DetailSection title={texts.attempts}>
        {attempts.length === 0 && <p className={css.quiet}>{texts.noAttempt}</p>}
        <ol className={css.attempts}>
          {attempts.map((attempt) => (
            <AttemptView key={attempt.number} attempt={attempt} />
          ))}
        </ol>
      </DetailSection>
      <DetailSection title={texts.body}>
        {typeof orderId === 'string' && (
          <p>
            <Link to="/orders" search={{ id: orderId }}>
              {texts.toOrder}
            </Link>
          </p>
        )}
        <pre className={css.text} tabIndex={0} aria-label={texts.body}>
          {event === null ? texts.eventGone : JSON.stringify(event, null, 2)}
        </pre>
      </DetailSection>
      <DetailSection title={texts.headers}>
        <dl className={css.headers}>
          {Object.entries(sentHeaders(delivery)).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          {texts.signatures.map(([name, what]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className={css.quiet}>{what}</dd>
            </div>
          ))}
        </dl>
        <p className={css.quiet}>{texts.howToCheck}</p>
      </DetailSection>
    </>
  );
}

function AttemptView({ attempt }: { attempt: Attempt }) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const { number, started_at: at, duration_ms: ms, status_code: status, failure, answer } = attempt;
  const isTaken = status !== null && status >= 200 && status < 300;
  return (
    <li className={css.attempt}>
      <div className={css.attemptHead}>
        <strong>{texts.attempt(number)}</strong>
        <span className={isTaken ? undefined : css.failed}>
          {status === null ? texts.failures(failure) : texts.answered(status)}
        </span>
        <span className={css.quiet}>{texts.took(formats.number(ms))}</span>
        <time className={css.quiet} dateTime={at} title={formats.exact(at)}>
          {formats.dateTime(at)}
        </time>
      </div>
      {answer !== null && answer !== '' && (
        <pre className={css.text} tabIndex={0} aria-label={texts.answerOf(number)}>
          {answer}
        </pre>
      )}
    </li>
  );
}
