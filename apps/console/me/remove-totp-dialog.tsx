import { AskDialog } from '../settings/ask-dialog';
import { useAct } from '../settings/use-act';
import { useSecondFactorTexts } from '../shell/second-factor-texts';
import { toasts } from '../shell/toasts';
import { removeTotp, secondFactorQuery } from './me.calls';

export default function RemoveTotpDialog({ onClose }: { onClose: () => void }) {
  const texts = useSecondFactorTexts();
  const act = useAct({
    send: removeTotp,
    queryKey: secondFactorQuery.queryKey,
    onDone: () => {
      toasts.show({ text: texts.removed });
      onClose();
    },
    conflict: texts.lastOne,
  });
  const { removeTitle: title, removeText: text, remove: does } = texts;
  return <AskDialog title={title} text={text} does={does} act={act} onClose={onClose} />;
}
