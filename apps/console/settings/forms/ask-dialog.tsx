import { Button } from '../../controls/button';
import { Dialog } from '../../controls/dialog';
import { toasts } from '../../messages/toasts';
import { ActButtons } from './act-buttons';
import { useAct } from './use-act';

interface Props<Reply> {
  title: string;
  /** What happens then. */
  text: string;
  /** The word on the button. */
  does: string;
  send: () => Promise<Reply>;
  queryKey: readonly unknown[];
  /** The message afterwards. */
  said?: string;
  /** What 409 means here. */
  conflict?: string;
  /** In place of closing the dialog. */
  onDone?: (reply: Reply) => void;
  onClose: () => void;
}

/** Asks before something that others notice immediately, and does it. */
export function AskDialog<Reply>({
  title,
  text,
  does,
  said,
  onClose,
  onDone = onClose,
  ...asked
}: Props<Reply>) {
  const act = useAct<Reply>({
    ...asked,
    onDone: (reply) => {
      if (said !== undefined) toasts.show({ text: said });
      onDone(reply);
    },
  });
  return (
    <Dialog title={title} isAlert isBusy={act.isPending} onClose={onClose}>
      <p>{text}</p>
      <ActButtons act={act} onClose={onClose}>
        <Button kind="danger" isPending={act.isPending} onPress={() => act.run()}>
          {does}
        </Button>
      </ActButtons>
    </Dialog>
  );
}
