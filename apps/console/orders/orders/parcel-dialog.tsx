import { useQuery } from '@tanstack/react-query';
import type { Carrier, ParcelBody } from '@offizin/contracts/orders/parcels';
import { Choice } from '../../controls/choice';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { ApiError } from '../../calls/api';
import { DraftForm } from '../../lists/draft-form';
import { useDraft } from '../../session/use-draft';
import { useOrderTexts } from './order-texts';
import { lastCarrier } from './orders.calls';
import { needsLink, parcelOf } from './parcel-number';
import { useAddParcel, useParcelFailure } from './parcels';

interface Props {
  orderId: string;
  customer: string;
  onClose: () => void;
}

interface Typed {
  number: string;
  /** Null: as the number says, else the one of before. */
  carrier: Carrier | null;
  link: string;
}

const EMPTY: Typed = { number: '', carrier: null, link: '' };
/** As the server has it. */
const MAX_NUMBER = 255;
const MAX_LINK = 500;

/** The number of a parcel, scanned or typed. It is added immediately; the same one again changes nothing. */
export function ParcelDialog({ orderId, customer, onClose }: Props) {
  const { parcels: texts } = useOrderTexts();
  const draft = useDraft(orderId, 'parcel', EMPTY);
  const { mutate, error, isPending } = useAddParcel(orderId);
  const { data: last = null } = useQuery(lastCarrier);
  const mistakes = useMistakes(error);
  const { number, link } = draft.value;
  const read = parcelOf(number);
  const carrier = draft.value.carrier ?? read?.carrier ?? last;
  const isReady = number.trim() !== '' && carrier !== null;
  const type = (typed: Partial<Typed>) => draft.change({ ...draft.value, ...typed });
  const send = () => {
    if (!isReady) return;
    const tracking_number = read?.carrier === carrier ? read.tracking_number : number;
    const url = needsLink(carrier) && link.trim() !== '' ? link.trim() : null;
    const body: ParcelBody = { carrier, tracking_number, url };
    mutate(body, {
      onSuccess: () => {
        draft.discard();
        onClose();
      },
    });
  };
  return (
    <Dialog title={texts.addTo(customer)} isBusy={isPending} onClose={onClose}>
      <DraftForm
        draft={draft}
        does={texts.save}
        isReady={isReady}
        isPending={isPending}
        isBusy={isPending}
        validationBehavior="aria"
        {...mistakes}
        onSend={send}
        onClose={onClose}
      >
        <Field
          autoFocus
          name="tracking_number"
          label={texts.number}
          hint={texts.numberHint}
          value={number}
          onChange={(typed) => type({ number: typed })}
          maxLength={MAX_NUMBER}
          autoComplete="off"
          spellCheck="false"
        />
        <Choice
          label={texts.carrier}
          values={carriersIn(texts.carriers)}
          selected={carrier ?? ''}
          onSelect={(chosen) => chosen !== '' && type({ carrier: chosen })}
        />
        {needsLink(carrier) && (
          <Field
            name="url"
            label={texts.link}
            hint={texts.linkHint}
            value={link}
            onChange={(typed) => type({ link: typed })}
            maxLength={MAX_LINK}
          />
        )}
      </DraftForm>
    </Dialog>
  );
}

function carriersIn(names: Readonly<Record<Carrier, string>>): { value: Carrier | ''; name: string }[] {
  return (Object.keys(names) as Carrier[]).map((value) => ({ value, name: names[value] }));
}

/** The refused fields, in the language of the person. */
function useMistakes(error: Error | null): {
  failure: string | null;
  validationErrors?: Record<string, string>;
} {
  const { mistakes } = useOrderTexts().parcels;
  const failure = useParcelFailure();
  const details = error instanceof ApiError ? (error.details ?? []) : [];
  const wrong = details.flatMap(({ field }) =>
    field === 'tracking_number' || field === 'url' ? [[field, mistakes[field]] as const] : [],
  );
  if (wrong.length > 0) return { failure: null, validationErrors: Object.fromEntries(wrong) };
  return { failure: error && failure(error) };
}
