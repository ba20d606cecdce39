import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ActionBar } from '../controls/action-bar';
import { Button } from '../controls/button';
import { Chip } from '../controls/chip';
import { DetailBody, DetailPane } from '../controls/detail-pane';
import { Fault, sentenceOf } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useOnline } from '../shell/online';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { useFormats, useTexts } from '../text/texts';
import { DeliverySections } from './delivery-sections';
import { curlOf } from './curl';
import { bodyText, sentHeaders } from './sent';
import { TONES } from './tones';
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
  const { org } = useSession();
  const { data: delivery, error, refetch } = useQuery(deliveryDetail(org.id, id));
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
  const { org } = useSession();
  const online = useOnline();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => redeliver(org.id, delivery.id),
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
  const send = () => {
    if (canSend) again.mutate();
  };
  useKeys('page', [
    { keys: 'r', does: texts.sendAgain, run: send },
    { keys: 'c', does: texts.copyCurl, run: copy },
  ]);
  const reason = online ? null : texts.blockedOffline;
  return (
    <ActionBar label={texts.acts} blocked={body === null ? texts.eventGone : reason}>
      <Button kind="main" shortcut="r" isDisabled={!canSend} onPress={send}>
        {texts.sendAgain}
      </Button>
      <Button shortcut="c" isDisabled={body === null} onPress={copy}>
        {texts.copyCurl}
      </Button>
    </ActionBar>
  );
}
