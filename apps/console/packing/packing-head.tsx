import type { PipelineOrder } from '@offizin/contracts/pipeline';
import { Chip } from '../controls/chip';
import { useOrderTexts } from '../orders/order-texts';
import { toneOfPayment } from '../orders/tones';
import { useSession } from '../shell/session.calls';
import { readableName } from '../text/customer-name';
import { useFormats } from '../text/texts';
import { usePackingTexts } from './packing-texts';
import css from './packing.module.css';

/** Whose parcel it is, how it leaves, and what colleagues wrote down. */
export function PackingHead({ order }: { order: PipelineOrder }) {
  const texts = usePackingTexts();
  const orderTexts = useOrderTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const shop = shops.length > 1 && shops.find(({ shop_id }) => shop_id === order.shop_id)?.name;
  const numbers = [order.order_number ?? order.external_id, shop].filter(Boolean).join(' · ');
  const notes = order.notes.filter(({ kind }) => kind === 'note');
  const packed = order.notes.find(({ kind }) => kind === 'packed');
  return (
    <header className={css.orderHead}>
      <h2>{readableName(order.customer_name) ?? orderTexts.nameless}</h2>
      <p className={css.numbers}>{numbers}</p>
      <div className={css.chips}>
        {order.shipping_option !== null && <Chip tone="info">{order.shipping_option}</Chip>}
        <Chip tone={toneOfPayment(order.payment_status)}>{orderTexts.payment[order.payment_status]}</Chip>
        {packed && <Chip tone="warn">{texts.packedBefore(packed.who, formats.dateTime(packed.at))}</Chip>}
      </div>
      {notes.length > 0 && (
        <ul className={css.notes} aria-label={texts.notes}>
          {notes.map(({ id, text, who }) => (
            <li key={id}>
              {text ?? orderTexts.noteErased} <span className={css.quiet}>{who}</span>
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}
