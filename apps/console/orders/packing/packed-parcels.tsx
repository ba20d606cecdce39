import { lazy, Suspense, useState } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { useKeys } from '../../keyboard/keys';
import { useOrderTexts } from '../orders/order-texts';
import { parcelOf, takesParcel } from '../orders/parcel-number';
import { Parcels, useAddParcel, useParcelFailure } from '../orders/parcels';
import { readableName } from '../../text/customer-name';
import type { Said } from './packing-warnings';
import css from './packing.module.css';

/** Loaded with the first key that opens it. */
const ParcelDialog = lazy(async () => ({ default: (await import('../orders/parcel-dialog')).ParcelDialog }));

/** A code that names no product may be the label of the order's parcel. */
export function useLabels(order: PipelineOrder, say: (said: Said) => void) {
  const { parcels: texts } = useOrderTexts();
  const failure = useParcelFailure();
  const { mutate, isPending } = useAddParcel(order.id);
  const takeLabel = (code: string): boolean => {
    const parcel = parcelOf(code);
    if (!parcel) return false;
    const name = `${texts.carriers[parcel.carrier]} ${parcel.tracking_number}`;
    mutate(parcel, {
      onSuccess: () => say({ kind: 'parcel', text: texts.added(name) }),
      onError: (error) => say({ kind: 'noParcel', why: `${name}: ${failure(error)}` }),
    });
    return true;
  };
  return { takeLabel, isAdding: isPending };
}

/** The parcels that the order has already. */
export function PackedParcels({ order }: { order: PipelineOrder }) {
  const { parcels: texts } = useOrderTexts();
  if (order.parcels.length === 0) return null;
  return (
    <section className={css.parcels}>
      <h3>{texts.title}</h3>
      <Parcels order={order} />
    </section>
  );
}

/** A number by hand, or of a label that several carriers may have printed. */
export function AddParcel({ order }: { order: PipelineOrder }) {
  const { nameless, parcels: texts } = useOrderTexts();
  const [isAsked, setAsked] = useState(false);
  const can = takesParcel(order);
  const ask = () => setAsked(can);
  // Not a character: those belong to a code.
  useKeys('page', [{ keys: 'F2', does: texts.add, run: ask }]);
  return (
    <>
      <Button kind="quiet" shortcut="F2" isDisabled={!can} onPress={ask}>
        {texts.add}
      </Button>
      <Suspense>
        {isAsked && (
          <ParcelDialog
            orderId={order.id}
            customer={readableName(order.customer_name) ?? nameless}
            onClose={() => setAsked(false)}
          />
        )}
      </Suspense>
    </>
  );
}
