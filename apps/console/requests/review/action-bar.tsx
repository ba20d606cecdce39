import type { OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import { ActionBar as Bar } from '../../controls/action-bar';
import { Button } from '../../controls/button';
import { useKeys } from '../../keyboard/keys';
import { toasts } from '../../messages/toasts';
import { useTexts } from '../../text/texts';
import css from './requests.module.css';
import { usePlanTexts } from './plan-texts';
import { isUndecided } from './review-head';

interface Props {
  /** Why nothing can be decided; null when it can. */
  blocked: string | null;
  status: OrderRequestStatus;
  /** The server takes no text about it, and no question: an answer would bring the customer back. */
  isErased: boolean;
  /** This person has approved first, and can take that back. */
  isOwnFirst: boolean;
  onApprove: () => void;
  onOpen: (dialog: 'ask' | 'reject') => void;
  onWithdraw: () => void;
  /** Takes back the decision about this request that is held; null without one. */
  onUndo: (() => void) | null;
}

/** The decisions on the request that is on the screen; in every layout in the same place. */
export function ActionBar({ blocked, status, isErased, isOwnFirst, onUndo, ...acts }: Props) {
  const { onApprove, onOpen, onWithdraw } = acts;
  // A question to the partner is open.
  const isAsked = status === 'needs_clarification';
  const texts = useTexts().requests;
  const { erased } = usePlanTexts();
  const isDisabled = blocked !== null;
  const opens = (dialog: 'ask' | 'reject') => () => {
    onOpen(dialog);
  };
  const when = (isPossible: boolean, run: () => void) => () => {
    if (!isDisabled && isPossible) run();
  };
  const sayOwn = () => {
    toasts.show({ text: texts.secondLook.own });
  };
  useKeys('page', [
    { keys: 'a', does: texts.approve, run: when(!isAsked, isOwnFirst ? sayOwn : onApprove) },
    { keys: 'q', does: texts.ask, run: when(!isAsked && !isErased, opens('ask')) },
    { keys: 'r', does: texts.reject, run: when(true, opens('reject')) },
    {
      keys: 'w',
      does: isAsked ? texts.withdraw : texts.secondLook.takeBack,
      run: when(isAsked || isOwnFirst, onWithdraw),
      hidden: !isAsked && !isOwnFirst,
    },
    // Of this request, and not of the newest decision as everywhere else.
    ...(onUndo ? [{ keys: 'z', does: texts.undo, run: onUndo, hidden: true }] : []),
  ]);
  return (
    <div className={css.bar}>
      <Bar label={texts.decide} blocked={blocked ?? (isErased && isUndecided({ status }) ? erased : null)}>
        {onUndo && (
          <Button shortcut="z" onPress={onUndo}>
            {texts.undo}
          </Button>
        )}
        {!onUndo && isUndecided({ status }) && (
          <Choices
            isAsked={isAsked}
            isErased={isErased}
            isOwnFirst={isOwnFirst}
            isDisabled={isDisabled}
            onApprove={onApprove}
            onWithdraw={onWithdraw}
            onOpen={onOpen}
          />
        )}
      </Bar>
    </div>
  );
}

interface ChoicesProps extends Omit<Props, 'blocked' | 'status' | 'onUndo'> {
  isAsked: boolean;
  isDisabled: boolean;
}

function Choices({ isAsked, isErased, isOwnFirst, isDisabled, ...acts }: ChoicesProps) {
  const { onApprove, onWithdraw, onOpen } = acts;
  const texts = useTexts().requests;
  return (
    <>
      {(isAsked || isOwnFirst) && (
        <Button shortcut="w" isDisabled={isDisabled} onPress={onWithdraw}>
          {isAsked ? texts.withdraw : texts.secondLook.takeBack}
        </Button>
      )}
      {!isAsked && !isOwnFirst && (
        <Button kind="main" shortcut="a" isDisabled={isDisabled} onPress={onApprove}>
          {texts.approve}
        </Button>
      )}
      {!isAsked && (
        <Button shortcut="q" isDisabled={isDisabled || isErased} onPress={() => onOpen('ask')}>
          {texts.ask}
        </Button>
      )}
      <Button kind="danger" shortcut="r" isDisabled={isDisabled} onPress={() => onOpen('reject')}>
        {texts.reject}
      </Button>
    </>
  );
}
