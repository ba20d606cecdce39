import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import figureCss from '../../controls/figure.module.css';
import { addressOf } from '../orders/order-address';
import { useLotText, useOrderTexts } from '../orders/order-texts';
import { useSession } from '../../session/session.calls';
import { readableOf } from '../../text/customer-name';
import { useFormats } from '../../text/texts';
import { usePrintTexts } from './print-texts';
import css from './printing.module.css';

/** The paper that goes into the parcel: notes for staff are not on it. */
export function Slip({ order }: { order: PipelineOrder }) {
  const texts = usePrintTexts();
  const orderTexts = useOrderTexts();
  const formats = useFormats();
  const lotText = useLotText();
  const lotsOf = (index: number) => order.lots.filter(({ line }) => line === index + 1);
  const facts = [
    [texts.number, order.order_number ?? order.external_id],
    [texts.ordered, formats.date(order.order_datetime ?? order.created_at)],
    [texts.delivery, order.shipping_option ?? orderTexts.noDelivery],
    [texts.payment, orderTexts.payment[order.payment_status]],
    [texts.total, formats.money(order.total_amount)],
  ] as const;
  const parcels = order.parcels.flatMap(({ carrier, tracking_number: number }) =>
    number === null ? [] : [[texts.parcel, `${orderTexts.parcels.carriers[carrier]} ${number}`] as const],
  );
  return (
    <article className={css.slip}>
      <header className={css.slipHead}>
        <strong>{useShopName(order)}</strong>
        <h2>{texts.slip}</h2>
      </header>
      <div className={css.slipColumns}>
        <Recipient order={order} />
        <dl className={css.facts}>
          {[...facts, ...parcels].map(([name, value]) => (
            <div key={`${name} ${value}`}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <table className={css.lines}>
        <thead>
          <tr>
            <th scope="col">{texts.packed}</th>
            <th scope="col" className={figureCss.figure}>
              {texts.quantity}
            </th>
            <th scope="col">{texts.product}</th>
            <th scope="col">{texts.productNumber}</th>
          </tr>
        </thead>
        <tbody>
          {order.items.map(({ name, p1_id, quantity }, index) => (
            <tr key={index}>
              <td>
                <span className={css.box} />
              </td>
              <td className={figureCss.figure}>{formats.number(quantity)}</td>
              <td>
                {readableOf(name, p1_id)}
                {lotsOf(index).map((lot, at) => (
                  <span key={at} className={css.lot}>
                    {formats.number(lot.quantity)} × {lotText(lot)}
                  </span>
                ))}
              </td>
              <td>{p1_id}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  );
}

export function Label({ order }: { order: PipelineOrder }) {
  const { order_number: number, external_id: reference } = order;
  return (
    <article className={css.label}>
      <p className={css.sender}>{useShopName(order)}</p>
      <Recipient order={order} />
      <p className={css.sender}>{number ?? reference}</p>
    </article>
  );
}

function Recipient({ order }: { order: PipelineOrder }) {
  const texts = useOrderTexts();
  const rows = addressOf(order);
  return (
    <address className={css.recipient}>
      {rows.length === 0 ? texts.noAddress : rows.map((row, index) => <div key={index}>{row}</div>)}
    </address>
  );
}

function useShopName({ shop_id: id }: PipelineOrder): string {
  const { shops, org } = useSession();
  return shops.find(({ shop_id }) => shop_id === id)?.name ?? org.name;
}
