import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import type { ReviewPlanBody } from '@offizin/contracts/requests/review-plan';
import { ApiError } from '../../calls/api';
import { Button } from '../../controls/button';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { Picker } from '../../controls/picker';
import { useKeys } from '../../keyboard/keys';
import { sentenceOf } from '../../messages/fault';
import { useSession } from '../../session/session.calls';
import { useFormats, useTexts } from '../../text/texts';
import { usePlanTexts } from './plan-texts';
import { plannedTimes } from './plan-times';
import { planRequest, reviewPeople } from './requests.calls';

interface Props {
  detail: ReviewDetail;
  customer: string;
  onClose: () => void;
}

/** Who looks after the request, and when it comes back. Each choice is sent immediately. */
export function PlanDialog({ detail, customer, onClose }: Props) {
  const texts = usePlanTexts();
  const { requests } = useTexts();
  const formats = useFormats();
  const { staff } = useSession();
  const { data: people } = useQuery(reviewPeople);
  const [times] = useState(() => plannedTimes(Date.now()));
  const { assigned_to: person, parked_until: parked } = detail.plan;
  const { send, failure } = usePlan(detail, onClose);
  const assign = (id: string) => send({ assigned_to: id === '' ? null : id });
  const isMine = person?.staff_id === staff.id;
  const canPark = detail.status === 'pending';
  const acts = [
    isMine
      ? { keys: '1', does: texts.leave, run: () => assign('') }
      : { keys: '1', does: texts.take, run: () => assign(staff.id) },
    ...(canPark && times.later !== null
      ? [
          {
            keys: '2',
            does: texts.later(formats.time(times.later)),
            run: () => send({ parked_until: times.later }),
          },
        ]
      : []),
    ...(canPark
      ? [
          {
            keys: '3',
            does: texts.morning(formats.time(times.morning)),
            run: () => send({ parked_until: times.morning }),
          },
        ]
      : []),
    ...(parked === null ? [] : [{ keys: '4', does: texts.now, run: () => send({ parked_until: null }) }]),
  ];
  useKeys('dialog', acts);
  return (
    <Dialog title={texts.title(customer)} onClose={onClose}>
      <p>
        {person ? texts.assigned(person.name) : texts.nobody}
        {parked !== null && ` ${texts.parked(formats.dateTime(parked))}`}
      </p>
      {failure !== null && <p role="alert">{failure}</p>}
      {acts.map(({ keys, does, run }, at) => (
        <Button key={keys} shortcut={keys} autoFocus={at === 0} onPress={run}>
          {does}
        </Button>
      ))}
      <Picker
        label={texts.person}
        choices={[
          { id: '', name: requests.assigned.nobody },
          ...(people?.data ?? []).map(({ staff_id: id, name }) => ({ id, name })),
        ]}
        chosen={person?.staff_id ?? ''}
        onChoose={assign}
      />
      <DialogButtons>
        <Button onPress={onClose}>{requests.cancel}</Button>
      </DialogButtons>
    </Dialog>
  );
}

function usePlan({ id, plan }: ReviewDetail, onDone: () => void) {
  const all = useTexts();
  const texts = usePlanTexts();
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (body: ReviewPlanBody) =>
      planRequest(id, {
        ...body,
        assigned_before: plan.assigned_to?.staff_id ?? null,
        parked_before: plan.parked_until,
      }),
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['requests'] }),
  });
  const isOther = error instanceof ApiError && error.code === 'conflict';
  const failure = isOther ? texts.changed : error && sentenceOf(error, all);
  return { failure, send: (body: ReviewPlanBody) => !isPending && mutate(body) };
}
