import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback } from 'react';
import { Chip } from '../controls/chip';
import { DetailBody, DetailPane, DetailSection } from '../controls/detail-pane';
import { Fault } from '../shell/fault';
import { useLock } from '../shell/lock';
import { useSession } from '../shell/session.calls';
import { useFormats } from '../text/texts';
import { nameOf } from './prescription-name';
import { usePrescriptionTexts } from './prescription-texts';
import { type Prescription, prescriptionDetail, receiptAddress, receiptBytes } from './prescriptions.calls';
import css from './prescription-detail.module.css';

/** The largest part of the screen, loaded while the fields are read. */
const DocumentPane = lazy(async () => {
  const { DocumentPane: Pane } = await import('../document/document-pane');
  return { default: Pane };
});

interface Props {
  id: string;
  onClose: () => void;
}

/** One prescription: the fields as they were handed in, and the receipt. */
export function OpenPrescription({ id, onClose }: Props) {
  const texts = usePrescriptionTexts();
  const { org } = useSession();
  const isLocked = useLock() !== null;
  const { data, error, refetch } = useQuery(prescriptionDetail(org.id, id));
  const pane = { label: texts.prescription, back: texts.back, onClose };
  if (!data)
    return (
      <DetailPane {...pane} isBusy={!error}>
        {error && <Fault error={error} onAgain={() => void refetch()} />}
      </DetailPane>
    );
  const isErased = data.customer_email === null;
  return (
    <DetailPane
      {...pane}
      title={isErased ? texts.erased : (nameOf(data) ?? texts.nameless)}
      facts={<Facts prescription={data} />}
    >
      <DetailBody label={texts.region}>
        <DetailSection title={texts.fields}>
          {isErased && <p className={css.erased}>{texts.erasedHint}</p>}
          <Fields data={data.data} />
        </DetailSection>
        <div className={css.document}>
          <Suspense>{!isLocked && <Receipt prescription={data} />}</Suspense>
        </div>
      </DetailBody>
    </DetailPane>
  );
}

function Facts({ prescription }: { prescription: Prescription }) {
  const texts = usePrescriptionTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const { created_at: created, updated_at: updated, shop_id: shopId, external_id: externalId } = prescription;
  const shop = shops.length > 1 && shops.find(({ shop_id: id }) => id === shopId)?.name;
  return (
    <>
      <div className={css.quiet}>{[externalId, shop].filter(Boolean).join(' · ')}</div>
      <time className={css.quiet} dateTime={created} title={formats.exact(created)}>
        {texts.createdAt(formats.dateTime(created))}
      </time>
      {updated !== created && (
        <span className={css.quiet}> · {texts.changedAt(formats.dateTime(updated))}</span>
      )}
      {prescription.customer_email === null && <Chip tone="warn">{texts.erased}</Chip>}
    </>
  );
}

/** In the order and the words in which they came. */
function Fields({ data }: { data: Prescription['data'] }) {
  const shown = Object.entries(data).filter(([, value]) => value !== null && value !== '');
  return (
    <dl className={css.fields}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

const NOTHING_MARKED = () => [];
const nothing = () => undefined;

function Receipt({ prescription: { id, receipt } }: { prescription: Prescription }) {
  const texts = usePrescriptionTexts();
  const { org } = useSession();
  const load = useCallback(() => receiptBytes(org.id, id), [org.id, id]);
  const missing =
    receipt === null
      ? texts.noReceipt
      : receipt.state === 'failed'
        ? texts.failed(receipt.failure ?? '')
        : texts.waiting;
  return (
    <DocumentPane
      load={receipt?.state === 'stored' ? load : null}
      isBusy={false}
      missing={missing}
      onAgain={null}
      address={receiptAddress(org.id, id)}
      placesIn={NOTHING_MARKED}
      onPainted={nothing}
      onText={nothing}
      onBroken={nothing}
    />
  );
}
