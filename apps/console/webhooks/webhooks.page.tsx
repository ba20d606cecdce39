import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../controls/button';
import { EmptyState } from '../controls/empty-state';
import { NotLoaded, SettingsList, SettingsPage, SettingsRow } from '../settings/forms/settings-page';
import { useOnline } from '../session/online';
import { HealthFigures, HourBars, StateChip, useStateSentence } from './health';
import { useWebhookTexts } from './webhook-texts';
import { type Webhook, webhookList, webhookStats } from './webhooks.calls';
import css from './webhooks.module.css';

const CreateDialog = lazy(() => import('./create-dialog'));

/** The endpoints of the organization, and whether their receivers take what is sent. */
export default function WebhooksPage() {
  const texts = useWebhookTexts();
  const online = useOnline();
  const query = useQuery(webhookList);
  const { data } = query;
  const [isNew, setNew] = useState(false);
  const isEmpty = data?.length === 0;
  const create = (
    <Button kind="main" isDisabled={!data || !online} onPress={() => setNew(true)}>
      {texts.create}
    </Button>
  );
  return (
    <SettingsPage
      isWide
      title={texts.title}
      about={texts.about}
      act={
        <div className={css.acts}>
          <Link to="/webhooks/deliveries">{texts.allDeliveries}</Link>
          {!isEmpty && create}
        </div>
      }
    >
      <NotLoaded query={query} />
      {isEmpty && (
        <EmptyState title={texts.none} hint={texts.noneHint}>
          {create}
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <SettingsList label={texts.title}>
          {data.map((webhook) => (
            <EndpointRow key={webhook.id} webhook={webhook} />
          ))}
        </SettingsList>
      )}
      <Suspense>{isNew && <CreateDialog onClose={() => setNew(false)} />}</Suspense>
    </SettingsPage>
  );
}

function EndpointRow({ webhook }: { webhook: Webhook }) {
  const texts = useWebhookTexts();
  const { data: stats } = useQuery(webhookStats(webhook.id));
  const why = useStateSentence(webhook);
  return (
    <SettingsRow
      title={
        <>
          <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.id }}>
            {webhook.url}
          </Link>
          <StateChip webhook={webhook} />
        </>
      }
      lines={[
        ...(webhook.description === null ? [] : [webhook.description]),
        webhook.event_types === null ? texts.everyKind : webhook.event_types.join(', '),
        ...(why === null ? [] : [why]),
      ]}
      isOver={!webhook.is_active}
    >
      <div className={css.health}>
        {stats && <HourBars stats={stats} />}
        {stats && <HealthFigures stats={stats} />}
      </div>
    </SettingsRow>
  );
}
