import { useNavigate } from '@tanstack/react-router';
import type { PipelineOrder } from '@offizin/contracts/pipeline';
import { ActionBar as Bar } from '../controls/action-bar';
import { Button } from '../controls/button';
import { useKeys } from '../shell/keys';
import { useSession } from '../shell/session.calls';
import { earlierStatuses, isPossible, type OrderAct } from './order-change';
import { useOrderTexts } from './order-texts';

/** What a dialog is opened for. */
export type AskedKind = 'status' | 'reopen' | 'note';

interface Props {
  order: PipelineOrder;
  blocked: string | null;
  onAsk: (kind: AskedKind) => void;
  onChange: (act: OrderAct) => void;
}

/** What can be done with the order that is on the screen; in every layout in the same place. */
export function OrderActions({ order, blocked, onAsk, onChange }: Props) {
  const texts = useOrderTexts();
  const navigate = useNavigate();
  const mayReopen = useSession().scopes.includes('orders.reopen');
  const pay: OrderAct = { kind: 'paid', seen: order };
  const isFinal = order.next_statuses.length === 0;
  const canMove = blocked === null && !isFinal;
  const canPay = blocked === null && isPossible(pay, order);
  const ask = () => {
    if (canMove) onAsk('status');
  };
  const canReopen = blocked === null && mayReopen && earlierStatuses(order).length > 0;
  const reopen = () => {
    if (canReopen) onAsk('reopen');
  };
  const markPaid = () => {
    if (canPay) onChange(pay);
  };
  const print = (kind: 'slip' | 'label') => void navigate({ to: '/print', search: { kind, ids: order.id } });
  useKeys('page', [
    { keys: 's', does: texts.nextStatus, run: ask },
    { keys: 'u', does: texts.markPaid, run: markPaid },
    { keys: 'n', does: texts.note, run: () => onAsk('note') },
    { keys: 'p', does: texts.printSlip, run: () => print('slip') },
    { keys: 'l', does: texts.printLabel, run: () => print('label') },
    { keys: 'Shift u', does: texts.reopen, run: reopen, hidden: !mayReopen },
  ]);
  const reason = blocked ?? (isFinal ? texts.blockedFinal : null);
  return (
    <Bar label={texts.acts} blocked={reason}>
      <Button kind="main" shortcut="s" isDisabled={!canMove} onPress={ask}>
        {texts.nextStatus}
      </Button>
      <Button shortcut="u" isDisabled={!canPay} onPress={markPaid}>
        {texts.markPaid}
      </Button>
      <Button kind="quiet" shortcut="n" onPress={() => onAsk('note')}>
        {texts.note}
      </Button>
      <Button kind="quiet" shortcut="p" onPress={() => print('slip')}>
        {texts.printSlip}
      </Button>
      <Button kind="quiet" shortcut="l" onPress={() => print('label')}>
        {texts.printLabel}
      </Button>
      {mayReopen && (
        <Button kind="quiet" shortcut="Shift u" isDisabled={!canReopen} onPress={reopen}>
          {texts.reopen}
        </Button>
      )}
    </Bar>
  );
}
