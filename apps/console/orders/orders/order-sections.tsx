import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { OrderNote } from '@offizin/contracts/orders/order-notes';
import type { PipelineHistoryEntry, PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { DetailSection } from '../../controls/detail-pane';
import figureCss from '../../controls/figure.module.css';
import { useSession } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { readableOf } from '../../text/customer-name';
import { useFormats } from '../../text/texts';
import { addressOf } from './order-address';
import css from './order-detail.module.css';
import { useOrderTexts, useValueText } from './order-texts';
import { Parcels } from './parcels';
import { toneOfPayment } from './tones';

/** Everything about one order. */
export function OrderSections({ order }: { order: PipelineOrder }) {
  const texts = useOrderTexts();
  const { scopes } = useSession();
  const requestId = order.order_request_id;
  return (
    <>
      <DetailSection title={texts.lines}>
        <Lines order={order} />
      </DetailSection>
      {order.lots.length > 0 && (
        <DetailSection title={texts.lots.title}>
          <Lots order={order} />
        </DetailSection>
      )}
      <div className={css.columns}>
        <Address order={order} />
        <Delivery order={order} />
      </div>
      {order.parcels.length > 0 && (
        <DetailSection title={texts.parcels.title}>
          <Parcels order={order} />
        </DetailSection>
      )}
      <Metadata order={order} />
      {requestId !== null && scopes.includes('order_requests.read') && (
        <DetailSection title={texts.request}>
          <Link to="/requests" search={{ tab: 'decided', id: requestId }}>
            {texts.toRequest}
          </Link>
        </DetailSection>
      )}
      <DetailSection title={texts.history}>
        {scopes.includes('webhooks.read') && (
          <Link to="/webhooks/deliveries" search={{ order: order.id }}>
            {texts.toDeliveries}
          </Link>
        )}
        <OrderHistory order={order} />
      </DetailSection>
    </>
  );
}

function Lines({ order }: { order: PipelineOrder }) {
  const texts = useOrderTexts();
  const formats = useFormats();
  return (
    <>
      <div className={css.lines}>
        {order.items.length === 0 && <p className={css.quiet}>{texts.noLines}</p>}
        {order.items.map(({ name, p1_id, quantity, price }, index) => (
          <div key={index} className={css.line}>
            <span className={`${css.quantity} ${figureCss.figure}`}>{formats.number(quantity)} ×</span>
            <span className={css.product}>
              {readableOf(name, p1_id)}{' '}
              {name !== null && p1_id !== null && <span className={css.quiet}>{p1_id}</span>}
            </span>
            <span className={figureCss.figure}>{texts.each(formats.money(price))}</span>
          </div>
        ))}
        <div className={css.line}>
          <span />
          <span>{order.total_is_given ? texts.sumGiven : texts.sum}</span>
          <strong className={figureCss.figure}>{formats.money(order.total_amount)}</strong>
        </div>
      </div>
      {order.stock !== 'none' && <p className={css.quiet}>{texts.stock[order.stock]}</p>}
    </>
  );
}

/** What each pack of the order was, for a recall. */
function Lots({ order: { lots, items } }: { order: PipelineOrder }) {
  const { lots: texts } = useOrderTexts();
  const formats = useFormats();
  return (
    <div className={css.lots} tabIndex={0} role="region" aria-label={texts.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.line}</th>
            <th scope="col">{texts.lot}</th>
            <th scope="col">{texts.day}</th>
            <th scope="col">{texts.test}</th>
            <th scope="col" className={figureCss.figure}>
              {texts.quantity}
            </th>
          </tr>
        </thead>
        <tbody>
          {lots.map(({ line, name, p1_id, lot, expires_on: day, test_number: test, quantity }, index) => (
            <tr key={index}>
              <th scope="row">
                {line === null
                  ? texts.gone(readableOf(name, p1_id))
                  : `${formats.number(line)} · ${readableOf(items[line - 1]?.name, name, p1_id)}`}
              </th>
              <td>{readableOf(lot)}</td>
              <td>{day !== null && formats.date(day)}</td>
              <td>{readableOf(test)}</td>
              <td className={figureCss.figure}>{formats.number(quantity)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Address({ order }: { order: PipelineOrder }) {
  const texts = useOrderTexts();
  const rows = addressOf(order);
  const contacts = [order.shipping_address.phone, order.customer_email].filter(Boolean);
  const copy = () => {
    void navigator.clipboard.writeText(rows.join('\n')).then(() => toasts.show({ text: texts.copied }));
  };
  return (
    <DetailSection title={texts.address}>
      {rows.length + contacts.length === 0 && <p className={css.quiet}>{texts.noAddress}</p>}
      <address className={css.address}>
        {[...rows, ...contacts].map((row, index) => (
          <div key={index}>{row}</div>
        ))}
      </address>
      <div className={css.ways}>
        {rows.length > 0 && <Button onPress={copy}>{texts.copy}</Button>}
        <Link to="/customer" search={{ order: order.id }}>
          {texts.toCustomer}
        </Link>
      </div>
    </DetailSection>
  );
}

/** What other systems keep with the order. */
function Metadata({ order }: { order: PipelineOrder }) {
  const texts = useOrderTexts();
  const entries = Object.entries(order.metadata);
  if (entries.length === 0) return null;
  return (
    <DetailSection title={texts.fields['metadata'] ?? ''}>
      <dl className={css.metadata}>
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt className={css.quiet}>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </DetailSection>
  );
}

function Delivery({ order }: { order: PipelineOrder }) {
  const texts = useOrderTexts();
  const formats = useFormats();
  const flags = (['shipped', 'picked_up', 'cash_on_pickup'] as const).filter((flag) => order[flag]);
  return (
    <DetailSection title={texts.delivery}>
      <div className={css.chips}>
        <Chip>{order.shipping_option ?? texts.noDelivery}</Chip>
        {flags.map((flag) => (
          <Chip key={flag}>{texts.flags[flag]}</Chip>
        ))}
        <Chip tone={toneOfPayment(order.payment_status)}>{texts.payment[order.payment_status]}</Chip>
      </div>
      {order.payment_reference !== null && (
        <p className={css.quiet}>{texts.reference(order.payment_reference)}</p>
      )}
      <p className={css.quiet}>
        {texts.orderedAt(formats.dateTime(order.order_datetime ?? order.created_at))}
      </p>
    </DetailSection>
  );
}

/** Changes, notes and marks in one list, newest first. */
function OrderHistory({ order: { history, notes } }: { order: PipelineOrder }) {
  const entries = [
    ...history.map((entry) => ({
      at: entry.at,
      key: String(entry.sequence),
      shown: <Change entry={entry} />,
    })),
    ...notes.map((note) => ({ at: note.at, key: note.id, shown: <Note note={note} /> })),
  ].sort((one, other) => other.at.localeCompare(one.at));
  return (
    <ol className={css.history}>
      {entries.map(({ key, shown }) => (
        <li key={key}>{shown}</li>
      ))}
    </ol>
  );
}

/** Of more changed fields, as in a new order, the history shows only the number. */
const TOLD_CHANGES = 6;

function Change({ entry: { at, who, action, changes } }: { entry: PipelineHistoryEntry }) {
  const texts = useOrderTexts();
  const valueText = useValueText();
  const told = action === 'created' || changes.length > TOLD_CHANGES ? [] : changes;
  return (
    <>
      <Line at={at} who={who}>
        {texts.actions[action] ?? action}
      </Line>
      {told.map(({ field, old, new: now }) => (
        <div key={field} className={css.change}>
          {texts.field(field)}: {isTooLong(field, now) ? texts.changed : valueText(field, now)}
          {old !== null && field !== 'reason' && <del> {valueText(field, old)}</del>}
        </div>
      ))}
    </>
  );
}

/** Lines are never shown, and many parcels or lots come as null, as none do. */
function isTooLong(field: string, now: string | null): boolean {
  return field === 'items' || ((field === 'parcels' || field === 'lots') && now === null);
}

function Note({ note: { at, who, kind, text } }: { note: OrderNote }) {
  const texts = useOrderTexts();
  return (
    <>
      <Line at={at} who={who}>
        {texts.noteKinds[kind]}
      </Line>
      {kind === 'note' && <div className={css.note}>{text ?? texts.noteErased}</div>}
    </>
  );
}

function Line({ at, who, children }: { at: string; who: string; children: ReactNode }) {
  const formats = useFormats();
  return (
    <>
      <time dateTime={at} title={formats.exact(at)}>
        {formats.dateTime(at)}
      </time>{' '}
      <bdi>{who}</bdi> · {children}
    </>
  );
}
