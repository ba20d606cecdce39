import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { ActionBar as Bar, type KeyedAct, KeyedButtons } from '../../controls/action-bar';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { DetailBody, DetailPane } from '../../controls/detail-pane';
import { Fault } from '../../messages/fault';
import { TestChip } from '../../lists/test-chip';
import { useSession } from '../../session/session.calls';
import { readableName } from '../../text/customer-name';
import { useFormats } from '../../text/texts';
import { Differences } from './differences';
import { changedBy, earlierStatuses, isPossible, onVersion, type OrderAct } from './order-change';
import css from './order-detail.module.css';
import { OrderSections } from './order-sections';
import { useOrderTexts } from './order-texts';
import { keptConflict, type KeptConflict, orderDetail } from './orders.calls';
import { takesParcel } from './parcel-number';
import { toneOfStatus } from './tones';
import { type Changes, dropConflict, useBlocked } from './use-changes';

/** Loaded with the first key that opens them. */
const StatusDialog = lazy(async () => ({ default: (await import('./order-dialogs')).StatusDialog }));
const OrderNoteDialog = lazy(async () => ({ default: (await import('./order-dialogs')).OrderNoteDialog }));
const ParcelDialog = lazy(async () => ({ default: (await import('./parcel-dialog')).ParcelDialog }));

interface Asked {
  kind: AskedKind;
  order: PipelineOrder;
}

interface Props {
  id: string;
  changes: Changes;
  onClose: () => void;
}

/** The order on the screen. It is created for each order, so nothing of another one is left in it. */
export function OpenOrder(props: Props) {
  const texts = useOrderTexts();
  const { data: order, error, refetch } = useQuery(orderDetail(props.id));
  if (order) return <LoadedOrder order={order} {...props} />;
  return (
    <DetailPane label={texts.order} back={texts.back} onClose={props.onClose} isBusy={!error}>
      {error && <Fault error={error} onAgain={() => void refetch()} />}
    </DetailPane>
  );
}

function LoadedOrder({ order, changes, onClose }: Props & { order: PipelineOrder }) {
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
        {(asked?.kind === 'status' || asked?.kind === 'reopen') && (
          <StatusDialog kind={asked.kind} order={asked.order} onChoose={change} onClose={close} />
        )}
        {asked?.kind === 'note' && <OrderNoteDialog orderId={order.id} customer={customer} onClose={close} />}
        {asked?.kind === 'parcel' && <ParcelDialog orderId={order.id} customer={customer} onClose={close} />}
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
        <TestChip of={order} />
        <Chip tone={toneOfStatus(order.status)}>{texts.status[order.status]}</Chip>
        <time className={css.quiet} dateTime={order.status_since} title={formats.exact(order.status_since)}>
          {texts.since(formats.dateTime(order.status_since))}
        </time>
      </div>
    </>
  );
}

/** What a dialog is opened for. */
type AskedKind = 'status' | 'reopen' | 'note' | 'parcel';

interface OrderActionsProps {
  order: PipelineOrder;
  blocked: string | null;
  onAsk: (kind: AskedKind) => void;
  onChange: (act: OrderAct) => void;
}

/** What can be done with the order that is on the screen; in every layout in the same place. */
function OrderActions({ order, blocked, onAsk, onChange }: OrderActionsProps) {
  const texts = useOrderTexts();
  const navigate = useNavigate();
  const mayReopen = useSession().scopes.includes('orders.reopen');
  const pay: OrderAct = { kind: 'paid', seen: order };
  const isFinal = order.next_statuses.length === 0;
  const isErased = order.erased_at !== null;
  const canMove = blocked === null && !isFinal;
  const canPay = blocked === null && isPossible(pay, order);
  const canReopen = blocked === null && earlierStatuses(order).length > 0;
  const canSend = blocked === null && takesParcel(order);
  const print = (kind: 'slip' | 'label') => void navigate({ to: '/print', search: { kind, ids: order.id } });
  const quiet = { kind: 'quiet' as const };
  const acts: KeyedAct[] = [
    { keys: 's', does: texts.nextStatus, kind: 'main', can: canMove, run: () => onAsk('status') },
    { keys: 'u', does: texts.markPaid, can: canPay, run: () => onChange(pay) },
    { keys: 'n', does: texts.note, ...quiet, can: !isErased, run: () => onAsk('note') },
    { keys: 't', does: texts.parcels.add, ...quiet, can: canSend, run: () => onAsk('parcel') },
    { keys: 'p', does: texts.printSlip, ...quiet, run: () => print('slip') },
    { keys: 'l', does: texts.printLabel, ...quiet, run: () => print('label') },
  ];
  const why = [isFinal && texts.blockedFinal, isErased && texts.blockedErased].filter(Boolean).join(' ');
  const reopening = {
    keys: 'Shift u',
    does: texts.reopen,
    ...quiet,
    can: canReopen,
    run: () => onAsk('reopen'),
  };
  return (
    <Bar label={texts.acts} blocked={blocked ?? (why === '' ? null : why)}>
      <KeyedButtons acts={mayReopen ? [...acts, reopening] : acts} />
    </Bar>
  );
}

interface ConflictProps {
  conflict: KeptConflict;
  /** As it is on the screen now. */
  order: PipelineOrder;
  blocked: string | null;
  onTakeOver: (act: OrderAct) => void;
  onDrop: () => void;
}

/** A colleague or an integrator changed the order first. Shows both versions; the person may make the change again. */
function Conflict({ conflict: { act, present: read }, order, blocked, onTakeOver, onDrop }: ConflictProps) {
  const texts = useOrderTexts();
  const present = order.version > read.version ? order : read;
  const mine =
    act.kind === 'paid' ? texts.conflict.mine.paid : texts.conflict.mine.status(texts.status[act.to]);
  const canTakeOver = isPossible(act, present);
  return (
    <section className={css.conflict} role="alert" aria-label={texts.conflict.title}>
      <h2>{texts.conflict.title}</h2>
      <p>
        {mine} {texts.conflict.who(changedBy(act.seen, present).join(', '))}
      </p>
      <Differences seen={act.seen} present={present} />
      {!canTakeOver && <p>{texts.conflict.impossible}</p>}
      <div className={css.buttons}>
        {canTakeOver && (
          <Button
            isDisabled={blocked !== null}
            onPress={() => {
              onTakeOver(onVersion(act, present));
            }}
          >
            {texts.conflict.takeOver}
          </Button>
        )}
        <Button kind="quiet" onPress={onDrop}>
          {texts.conflict.drop}
        </Button>
      </div>
    </section>
  );
}
