import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { KeyedButtons } from '../controls/action-bar';
import { Button } from '../controls/button';
import { BackIcon } from '../controls/icon';
import { PageHead } from '../controls/page-head';
import { isFiltered } from '../lists/address';
import { Fault, sentenceOf } from '../messages/fault';
import { useOnline } from '../session/online';
import { toasts } from '../messages/toasts';
import { useTexts } from '../text/texts';
import { DeliveryFiltersHead } from './delivery-filters';
import { DeliveryList } from './delivery-list';
import { type DeliverySearch, NO_FILTER, readDeliverySearch } from './delivery-search';
import type { Asked } from './endpoint-dialogs';
import css from './endpoint.module.css';
import { HealthFigures, HourBars, StateChip, useStateSentence } from './health';
import { useWebhookTexts } from './webhook-texts';
import {
  changeWebhook,
  ofWebhooks,
  sendTest,
  type Webhook,
  webhookDetail,
  webhookStats,
} from './webhooks.calls';

const route = getRouteApi('/inside/webhooks/$webhookId');

/**
 * One endpoint with its deliveries, and one of them beside the list. The address holds filters and the open delivery.
 */
export default function EndpointPage() {
  const { webhookId } = route.useParams();
  const { data: webhook, error, refetch } = useQuery(webhookDetail(webhookId));
  if (webhook) return <Deliveries key={webhookId} webhook={webhook} />;
  return error && <Fault error={error} onAgain={() => void refetch()} />;
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { search, openId, open, show } = useAddress(webhook.id);
  const onClear = isFiltered(search, NO_FILTER) ? () => show(NO_FILTER) : null;
  return (
    <DeliveryList
      openId={openId}
      onClear={onClear}
      webhookId={webhook.id}
      urls={new Map([[webhook.id, webhook.url]])}
      filters={search}
      onOpen={open}
      head={
        <>
          <EndpointHead webhook={webhook} />
          <DeliveryFiltersHead isPart search={search} onClear={onClear} onChange={show} />
        </>
      }
    />
  );
}

function useAddress(webhookId: string) {
  const search = route.useSearch();
  const { deliveryId: openId } = useParams({ strict: false });
  const navigate = useNavigate();
  const to = '/webhooks/$webhookId';
  const open = (deliveryId: string | undefined) =>
    void (deliveryId === undefined
      ? navigate({ to, params: { webhookId }, search })
      : navigate({ to: `${to}/deliveries/$deliveryId`, params: { webhookId, deliveryId }, search }));
  const show = (change: Partial<DeliverySearch>) =>
    void navigate({
      to,
      params: { webhookId },
      search: (before) => ({ ...readDeliverySearch(before), ...change }),
      replace: true,
    });
  return { search, openId, open, show };
}

const EndpointDialog = lazy(() => import('./endpoint-dialogs'));

/** What the endpoint is, how it is, and what can be done with it. */
function EndpointHead({ webhook }: { webhook: Webhook }) {
  const texts = useWebhookTexts();
  const online = useOnline();
  const { data: stats } = useQuery(webhookStats(webhook.id));
  const why = useStateSentence(webhook);
  const kinds =
    webhook.event_types === null ? texts.receivesAll : texts.receives(webhook.event_types.join(', '));
  const [open, setOpen] = useState<Asked | null>(null);
  const close = () => setOpen(null);
  const { test, resume } = useActs(webhook, () => setOpen('recover'));
  const canSend = online && webhook.is_active;
  const canTest = canSend && !test.isPending;
  return (
    <div className={css.head}>
      <PageHead
        title={webhook.url}
        back={
          <Link to="/webhooks" className={css.back ?? ''} aria-label={texts.toList} title={texts.toList}>
            <BackIcon />
          </Link>
        }
        state={<StateChip webhook={webhook} />}
        about={webhook.description ?? kinds}
        act={
          <KeyedButtons acts={[{ keys: 't', does: texts.test, can: canTest, run: () => test.mutate() }]} />
        }
      />
      {webhook.description !== null && <p className={css.kinds}>{kinds}</p>}
      {why !== null && <p className={css.why}>{why}</p>}
      {stats && (
        <div className={css.health}>
          <HourBars stats={stats} /> <HealthFigures stats={stats} />
        </div>
      )}
      <div className={css.acts} role="group" aria-label={texts.acts}>
        <Button isDisabled={!canSend} onPress={() => setOpen('recover')}>
          {texts.recover}
        </Button>
        <Button isDisabled={!online} onPress={() => setOpen('edit')}>
          {texts.edit}
        </Button>
        <Button isDisabled={!online} onPress={() => setOpen('rotate')}>
          {texts.rotate}
        </Button>
        <Button
          isDisabled={!online || resume.isPending}
          onPress={() => (webhook.is_active ? setOpen('pause') : resume.mutate())}
        >
          {webhook.is_active ? texts.pause : texts.resume}
        </Button>
        <Button kind="danger" isDisabled={!online} onPress={() => setOpen('delete')}>
          {texts.delete}
        </Button>
      </div>
      <Suspense>{open && <EndpointDialog asked={open} webhook={webhook} onClose={close} />}</Suspense>
    </div>
  );
}

function useActs({ id }: Webhook, onResumed: () => void) {
  const texts = useWebhookTexts();
  const shared = useTexts();
  const client = useQueryClient();
  const sent = (text: string, onSent?: () => void) => ({
    onSuccess: () => {
      toasts.show({ text });
      onSent?.();
      return client.invalidateQueries({ queryKey: ofWebhooks });
    },
    onError: (error: Error) => {
      toasts.show({ text: sentenceOf(error, shared), tone: 'failure' });
    },
  });
  const test = useMutation({ mutationFn: () => sendTest(id), ...sent(texts.tested) });
  const resume = useMutation({
    mutationFn: () => changeWebhook(id, { is_active: true }),
    // Missed events come back only when they are asked for.
    ...sent(texts.resumed, onResumed),
  });
  return { test, resume };
}
