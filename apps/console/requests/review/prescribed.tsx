import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { Button } from '../../controls/button';
import { readableOf } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { sentText } from '../edits/edits';
import { WhyNot } from './marks';
import { isKnowable, prescriberOf } from '../hints/prescription-hints';
import { usePlanTexts } from './plan-texts';
import { checkPrescriber, readToken, requestDetail } from './requests.calls';
import css from './review.module.css';

/** Loaded with the first e-prescription: it draws the code. */
const EPrescriptionCode = lazy(() => import('../document/e-prescription-code'));

interface Props {
  detail: ReviewDetail;
  canCheck: boolean;
}

/** What the sender says about the prescription, beside its document. */
export default function Prescribed({ detail, canCheck }: Props) {
  const { requests: texts } = useTexts();
  const formats = useFormats();
  const { payload } = detail;
  const days = ['patient_birth_date', 'prescription_date'].map((field) => ({
    field,
    value: sentText(detail, field) && formats.date(sentText(detail, field)),
  }));
  const prescriber = prescriberOf(payload);
  const { name, number, street, postal_code: code, city, phone } = prescriber;
  const place = [code, city].filter(Boolean).join(' ');
  const who = [name, number, street, place, phone].filter(Boolean).join(', ');
  const task = payload['e_prescription'] as { task_id?: string } | null | undefined;
  const rows = [
    ...days,
    { field: 'prescriber', value: who },
    { field: 'e_prescription', value: task?.task_id ?? '' },
  ];
  return (
    <>
      <dl className={css.changes}>
        {rows
          .filter(({ value }) => value !== '')
          .map(({ field, value }) => (
            <div key={field}>
              <dt>{texts.field[field]}</dt>
              <dd>
                <bdi>{readableOf(value)}</bdi>
              </dd>
            </div>
          ))}
      </dl>
      {canCheck && isKnowable(prescriber) && <PrescriberCheck detail={detail} />}
      {task?.task_id !== undefined && (
        <Suspense fallback={null}>
          <EPrescriptionCode key={`${detail.id} ${detail.version}`} read={() => readToken(detail.id)} />
        </Suspense>
      )}
    </>
  );
}

function PrescriberCheck({ detail: { id, version, prescriber_check } }: Pick<Props, 'detail'>) {
  const { checkPrescriber: check, uncheckPrescriber: uncheck } = usePlanTexts();
  const client = useQueryClient();
  const { queryKey } = requestDetail(id);
  const isChecked = prescriber_check !== null;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => checkPrescriber(id, { checked: !isChecked, version }),
    onSuccess: (answer) => {
      client.setQueryData(queryKey, (shown) => shown && { ...shown, ...answer });
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ['requests', 'detail'] }),
  });
  return (
    <>
      <Button
        kind="quiet"
        isDisabled={isPending}
        onPress={() => {
          mutate();
        }}
      >
        {isChecked ? uncheck : check}
      </Button>
      {error && <WhyNot error={error} />}
    </>
  );
}
