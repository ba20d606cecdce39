import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DeliveryStatus } from '@offizin/contracts/webhooks/webhooks';
import { ActionBar, type KeyedAct, KeyedButtons } from '../controls/action-bar';
import { Chip } from '../controls/chip';
import { DetailBody, DetailPane, DetailSection } from '../controls/detail-pane';
import { Fault, sentenceOf } from '../messages/fault';
import { useOnline } from '../session/online';
import { toasts } from '../messages/toasts';
import { useFormats, useTexts } from '../text/texts';
import { curlOf } from './curl';
import css from './delivery-sections.module.css';
import { useWebhookTexts } from './webhook-texts';
import { deliveryDetail, type DeliveryDetail, ofWebhooks, redeliver } from './webhooks.calls';

interface Props {
  id: string;
  /** Addresses of the endpoints, by their ids. */
  urls: ReadonlyMap<string, string>;
  onClose: () => void;
}

/** One delivery: its request, each attempt with its answer, and a button that sends it again. */
export function DeliveryPane({ id, urls, onClose }: Props) {
  const texts = useWebhookTexts();
  const { data: delivery, error, refetch } = useQuery(deliveryDetail(id));
  return (
    <DetailPane
      label={texts.delivery}
      back={texts.back}
      onClose={onClose}
      isBusy={!delivery && !error}
      {...(delivery && { title: delivery.event_type, facts: <Facts delivery={delivery} /> })}
    >
      {delivery && (
        <>
          <DetailBody label={texts.deliveryRegion}>
            <DeliverySections delivery={delivery} />
          </DetailBody>
          <Acts delivery={delivery} url={urls.get(delivery.webhook_id) ?? ''} />
        </>
      )}
      {!delivery && error && <Fault error={error} onAgain={() => void refetch()} />}
    </DetailPane>
  );
}

function Facts({ delivery }: { delivery: DeliveryDetail }) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const { status, created_at: created, next_attempt_at: next } = delivery;
  return (
    <>
      <Chip tone={TONES[status]}>{texts.statuses[status]}</Chip>{' '}
      <time dateTime={created} title={formats.exact(created)}>
        {texts.createdAt(formats.dateTime(created))}
      </time>
      {next !== null && <div>{texts.nextAt(formats.dateTime(next))}</div>}
    </>
  );
}

function Acts({ delivery, url }: { delivery: DeliveryDetail; url: string }) {
  const texts = useWebhookTexts();
  const shared = useTexts();
  const online = useOnline();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => redeliver(delivery.id),
    onSuccess: () => {
      toasts.show({ text: texts.sentAgain });
      return client.invalidateQueries({ queryKey: ofWebhooks });
    },
    onError: (error) => {
      toasts.show({ text: sentenceOf(error, shared), tone: 'failure' });
    },
  });
  const body = delivery.event && bodyText(delivery.event);
  const copy = () => {
    if (body === null) return;
    const command = curlOf({ url, headers: sentHeaders(delivery), body });
    void navigator.clipboard.writeText(command).then(() => toasts.show({ text: texts.copiedCurl }));
  };
  const canSend = online && body !== null && !again.isPending;
  const acts: KeyedAct[] = [
    { keys: 'r', does: texts.sendAgain, kind: 'main', can: canSend, run: () => again.mutate() },
    { keys: 'c', does: texts.copyCurl, can: body !== null, run: copy },
  ];
  const reason = online ? null : texts.blockedOffline;
  return (
    <ActionBar label={texts.acts} blocked={body === null ? texts.eventGone : reason}>
      <KeyedButtons acts={acts} />
    </ActionBar>
  );
}

type Attempt = DeliveryDetail['attempts'][number];

function DeliverySections({ delivery }: { delivery: DeliveryDetail }) {
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

/** As it is sent: the receiver signs exactly these bytes. */
function bodyText(event: NonNullable<DeliveryDetail['event']>): string {
  return JSON.stringify(event);
}

/** The headers without the signatures. */
function sentHeaders({ id, event_type: kind }: DeliveryDetail): Record<string, string> {
  return {
    'content-type': 'application/json',
    'X-Service-Event': kind,
    'X-Service-Delivery-Id': id,
    'webhook-id': id,
  };
}

export const TONES: Readonly<Record<DeliveryStatus, 'plain' | 'info' | 'warn' | 'danger'>> = {
  pending: 'info',
  succeeded: 'plain',
  failed: 'danger',
  cancelled: 'warn',
};
