import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import type { Prescription } from '@offizin/contracts/requests/prescriptions';
import { Chip } from '../controls/chip';
import { DetailBody, DetailPane, DetailSection } from '../controls/detail-pane';
import { TestChip } from '../lists/test-chip';
import { Fault } from '../messages/fault';
import { useLock } from '../session/lock';
import { useSession } from '../session/session.calls';
import { useFormats } from '../text/texts';
import {
  isErased,
  nameOf,
  prescriptionDetail,
  readToken,
  receiptAddress,
  receiptBytes,
} from './prescriptions.calls';
import { usePrescriptionTexts } from './prescription-texts';
import css from './prescription-detail.module.css';
import { submittedFields } from './submitted-fields';

/** The largest part of the screen, loaded while the fields are read. */
const DocumentPane = lazy(() => import('../requests/document/document-pane'));

const EPrescriptionCode = lazy(() => import('../requests/document/e-prescription-code'));

interface Props {
  id: string;
  onClose: () => void;
}

/** One prescription: the fields as they were handed in, and the receipt. */
export function OpenPrescription({ id, onClose }: Props) {
  const texts = usePrescriptionTexts();
  const isLocked = useLock() !== null;
  const { data, error, refetch } = useQuery(prescriptionDetail(id));
  const pane = { label: texts.prescription, back: texts.back, onClose };
  if (!data)
    return (
      <DetailPane {...pane} isBusy={!error}>
        {error && <Fault error={error} onAgain={() => void refetch()} />}
      </DetailPane>
    );
  const isGone = isErased(data);
  return (
    <DetailPane
      {...pane}
      title={isGone ? texts.erased : (nameOf(data) ?? texts.nameless)}
      facts={<Facts prescription={data} />}
    >
      <DetailBody label={texts.region}>
        <DetailSection title={texts.fields}>
          {isGone && <p className={css.erased}>{texts.erasedHint}</p>}
          <Fields data={data.data} />
          {Boolean(data.data['E Prescription Task Id']) && (
            <Suspense>
              <EPrescriptionCode key={id} read={() => readToken(id)} />
            </Suspense>
          )}
        </DetailSection>
        <div className={css.document}>
          <Suspense>{!isLocked && <Receipt prescription={data} onAgain={() => void refetch()} />}</Suspense>
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
      <TestChip of={prescription} />
      {isErased(prescription) && <Chip tone="warn">{texts.erased}</Chip>}
    </>
  );
}

function Fields({ data }: { data: Prescription['data'] }) {
  const texts = usePrescriptionTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const shopName = (id: string) => shops.find(({ shop_id: known }) => known === id)?.name ?? null;
  return (
    <dl className={css.fields}>
      {submittedFields(data, { texts, formats, shopName }).map(({ name, value }, index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * A held key passes over many prescriptions; only the receipt of one that stays is read, and written to the audit log.
 */
const STAYS_MS = 300;

function useStays(): boolean {
  const [stays, setStays] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setStays(true);
    }, STAYS_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, []);
  return stays;
}

interface ReceiptProps {
  prescription: Prescription;
  /** Asks whether the receipt has been fetched meanwhile. */
  onAgain: () => void;
}

function Receipt({ prescription: { id, receipt }, onAgain }: ReceiptProps) {
  const texts = usePrescriptionTexts();
  const stays = useStays();
  const [tries, setTries] = useState(0);
  if (receipt?.state === 'stored') {
    return stays && <StoredReceipt key={tries} id={id} onAgain={() => setTries(tries + 1)} />;
  }
  const missing =
    receipt === null ? texts.noReceipt : receipt.state === 'failed' ? texts.failed : texts.waiting;
  return (
    <DocumentPane
      load={null}
      isShown
      kind={null}
      missing={missing}
      onAgain={receipt?.state === 'waiting' ? onAgain : null}
      address={receiptAddress(id)}
    />
  );
}

/** Mounted again for each try. */
function StoredReceipt({ id, onAgain }: { id: string; onAgain: () => void }) {
  const [failure, setFailure] = useState<unknown>(null);
  const load = useCallback(async () => {
    try {
      return await receiptBytes(id);
    } catch (error) {
      setFailure(error);
      throw error;
    }
  }, [id]);
  if (failure instanceof Error) return <Fault error={failure} onAgain={onAgain} />;
  return <DocumentPane load={load} isShown kind={null} missing="" address={receiptAddress(id)} />;
}
