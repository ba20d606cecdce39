import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../controls/button';
import { BackIcon } from '../controls/icon';
import { sentenceOf } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useOnline } from '../shell/online';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import type { Asked } from './endpoint-dialogs';
import { HealthFigures, HourBars } from './health';
import { StateChip, useStateSentence } from './state-chip';
import { useWebhookTexts } from './webhook-texts';
import { changeWebhook, ofWebhooks, sendTest, type Webhook, webhookStats } from './webhooks.calls';
import css from './endpoint.module.css';

const EndpointDialog = lazy(() => import('./endpoint-dialogs'));

/** What the endpoint is, how it is, and what can be done with it. */
export function EndpointHead({ webhook }: { webhook: Webhook }) {
  const texts = useWebhookTexts();
  const { org } = useSession();
  const online = useOnline();
  const { data: stats } = useQuery(webhookStats(org.id, webhook.id));
  const why = useStateSentence(webhook);
  const [open, setOpen] = useState<Asked | null>(null);
  const close = () => setOpen(null);
  const { test, resume } = useActs(webhook);
  const canSend = online && webhook.is_active;
  const canTest = canSend && !test.isPending;
  useKeys('page', [{ keys: 't', does: texts.test, run: () => canTest && test.mutate() }]);
  return (
    <header className={css.head}>
      <div className={css.title}>
        <Link to="/webhooks" className={css.back ?? ''} aria-label={texts.toList} title={texts.toList}>
          <BackIcon />
        </Link>
        <h1>{webhook.url}</h1>
        <StateChip webhook={webhook} />
      </div>
      {why !== null && <p className={css.why}>{why}</p>}
      {stats && (
        <div className={css.health}>
          <HourBars stats={stats} /> <HealthFigures stats={stats} />
        </div>
      )}
      <div className={css.acts} role="group" aria-label={texts.acts}>
        <Button shortcut="t" isDisabled={!canTest} onPress={() => test.mutate()}>
          {texts.test}
        </Button>
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
        <Button isDisabled={!online} onPress={() => setOpen('delete')}>
          {texts.delete}
        </Button>
      </div>
      <Suspense>{open && <EndpointDialog asked={open} webhook={webhook} onClose={close} />}</Suspense>
    </header>
  );
}

function useActs({ id }: Webhook) {
  const texts = useWebhookTexts();
  const shared = useTexts();
  const { org } = useSession();
  const client = useQueryClient();
  const sent = (text: string) => ({
    onSuccess: () => {
      toasts.show({ text });
      return client.invalidateQueries({ queryKey: ofWebhooks });
    },
    onError: (error: Error) => {
      toasts.show({ text: sentenceOf(error, shared), tone: 'failure' });
    },
  });
  const test = useMutation({ mutationFn: () => sendTest(org.id, id), ...sent(texts.tested) });
  const resume = useMutation({
    mutationFn: () => changeWebhook(org.id, id, { is_active: true }),
    ...sent(texts.resumed),
  });
  return { test, resume };
}
