import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Parcel, ParcelBody } from '@offizin/contracts/orders/parcels';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { ApiError } from '../../calls/api';
import { sentenceOf } from '../../messages/fault';
import { toasts } from '../../messages/toasts';
import { useFormats, useTexts } from '../../text/texts';
import { useOrderTexts } from './order-texts';
import { addParcel, lastCarrier, orderDetail, removeParcel } from './orders.calls';
import css from './parcels.module.css';

/** Pending until the order is read again: the next change of the order names the version that the parcel made. */
export function useAddParcel(orderId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ParcelBody) => addParcel(orderId, body),
    onSuccess: (_, { carrier }) => {
      client.setQueryDefaults(lastCarrier.queryKey, { gcTime: Infinity });
      client.setQueryData(lastCarrier.queryKey, carrier);
      return client.invalidateQueries({ queryKey: orderDetail(orderId).queryKey });
    },
  });
}

/** Why a parcel was not added, for a person. */
export function useParcelFailure(): (error: Error) => string {
  const { parcels: texts } = useOrderTexts();
  const shared = useTexts();
  return (error) =>
    error instanceof ApiError && error.code === 'conflict' ? texts.refused : sentenceOf(error, shared);
}

/** The parcels of an order, each with the page of its carrier. */
export function Parcels({ order }: { order: PipelineOrder }) {
  const { parcels: texts } = useOrderTexts();
  return (
    <ul className={css.parcels} aria-label={texts.title}>
      {order.parcels.map((parcel) => (
        <Row key={parcel.id} orderId={order.id} parcel={parcel} />
      ))}
    </ul>
  );
}

function Row({ orderId, parcel }: { orderId: string; parcel: Parcel }) {
  const { parcels: texts } = useOrderTexts();
  const shared = useTexts();
  const formats = useFormats();
  const client = useQueryClient();
  const { id, carrier, tracking_number: number, url, created_at: at } = parcel;
  const name = `${texts.carriers[carrier]} ${number ?? ''}`.trimEnd();
  const { mutate, isPending } = useMutation({
    mutationFn: () => removeParcel(orderId, id),
    onSuccess: () => {
      toasts.show({ text: texts.removed(name) });
      return client.invalidateQueries({ queryKey: orderDetail(orderId).queryKey });
    },
    onError: (error) => toasts.show({ text: sentenceOf(error, shared), tone: 'failure' }),
  });
  return (
    <li className={css.parcel}>
      <Chip>{texts.carriers[carrier]}</Chip>
      <span className={css.number}>
        {number === null || url === null ? (
          (number ?? texts.erased)
        ) : (
          <a href={url} target="_blank" rel="noopener noreferrer" title={texts.follow}>
            {number}
          </a>
        )}
      </span>
      <time className={css.quiet} dateTime={at} title={formats.exact(at)}>
        {formats.dateTime(at)}
      </time>
      <Button kind="quiet" aria-label={texts.removeOf(name)} isPending={isPending} onPress={() => mutate()}>
        {texts.remove}
      </Button>
    </li>
  );
}
