import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { PipelineOrder } from '@offizin/contracts/pipeline';
import { Chip } from '../controls/chip';
import { DetailBody, DetailPane } from '../controls/detail-pane';
import { Fault } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { readableName } from '../text/customer-name';
import { useFormats } from '../text/texts';
import { Conflict } from './conflict';
import { type AskedKind, OrderActions } from './order-actions';
import type { OrderAct } from './order-change';
import { OrderSections } from './order-sections';
import { useOrderTexts } from './order-texts';
import { keptConflict, orderDetail } from './orders.calls';
import { toneOfStatus } from './tones';
import { useBlocked } from './use-blocked';
import { type Changes, dropConflict } from './use-changes';
import css from './order-detail.module.css';

/** Loaded with the first key that opens them. */
const StatusDialog = lazy(() => import('./status-dialog'));
const OrderNoteDialog = lazy(() => import('./order-note-dialog'));

interface Asked {
  kind: AskedKind;
  order: PipelineOrder;
}

interface Props {
  id: string;
  changes: Changes;
  onClose: () => void;
}

/** The order on the screen. It is made anew for each order, so nothing of another one is left in it. */
export function OpenOrder(props: Props) {
  const texts = useOrderTexts();
  const { org } = useSession();
  const { data: order, error, refetch } = useQuery(orderDetail(org.id, props.id));
  if (order) return <Shown order={order} {...props} />;
  return (
    <DetailPane label={texts.order} back={texts.back} onClose={props.onClose} isBusy={!error}>
      {error && <Fault error={error} onAgain={() => void refetch()} />}
    </DetailPane>
  );
}

function Shown({ order, changes, onClose }: Props & { order: PipelineOrder }) {
  const texts = useOrderTexts();
  const client = useQueryClient();
  const { data: conflict } = useQuery(keptConflict(order.id));
  // The order as it is when the dialog opens: a later version must not change what a digit means.
  const [asked, setAsked] = useState<Asked | null>(null);
  const customer = readableName(order.customer_name) ?? texts.nameless;
  const drop = () => dropConflict(client, order.id);
  const change = (act: OrderAct) => {
    setAsked(null);
    if (conflict) drop();
    changes.decide({ id: order.id, customer }, act);
  };
  const close = () => setAsked(null);
  const blocked = useBlocked(changes.decided.has(order.id));
  return (
    <DetailPane
      label={texts.order}
      back={texts.back}
      onClose={onClose}
      title={customer}
      facts={<Facts order={order} />}
    >
      <DetailBody
        label={texts.orderRegion}
        notice={
          conflict && (
            <Conflict conflict={conflict} order={order} blocked={blocked} onTakeOver={change} onDrop={drop} />
          )
        }
      >
        <OrderSections order={order} />
      </DetailBody>
      <OrderActions
        order={order}
        blocked={blocked}
        onAsk={(kind) => setAsked({ kind, order })}
        onChange={change}
      />
      <Suspense>
        {asked && asked.kind !== 'note' && (
          <StatusDialog kind={asked.kind} order={asked.order} onChoose={change} onClose={close} />
        )}
        {asked?.kind === 'note' && <OrderNoteDialog orderId={order.id} customer={customer} onClose={close} />}
      </Suspense>
    </DetailPane>
  );
}

function Facts({ order }: { order: PipelineOrder }) {
  const texts = useOrderTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const shop = shops.length > 1 && shops.find(({ shop_id }) => shop_id === order.shop_id)?.name;
  const numbers = [order.order_number, order.external_id, shop].filter(Boolean).join(' · ');
  return (
    <>
      <div className={css.quiet}>{numbers}</div>
      <div className={css.state}>
        <Chip tone={toneOfStatus(order.status)}>{texts.status[order.status]}</Chip>
        <time className={css.quiet} dateTime={order.status_since} title={formats.exact(order.status_since)}>
          {texts.since(formats.dateTime(order.status_since))}
        </time>
      </div>
    </>
  );
}
