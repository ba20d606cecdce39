import type { View } from '@offizin/contracts/views';
import { AskDialog } from '../settings/ask-dialog';
import { useAct } from '../settings/use-act';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import type { ViewsProps } from './view-state';
import { useViewsTexts } from './views-texts';
import { removeView, viewsQuery } from './views.calls';

interface Props extends ViewsProps {
  view: View;
  onClose: () => void;
}

/** The filter of the list stays. */
export default function RemoveDialog({ view, screen, address, onShow, onClose }: Props) {
  const texts = useViewsTexts();
  const { org } = useSession();
  const act = useAct({
    send: () => removeView(org.id, view.id),
    queryKey: viewsQuery(org.id, screen).queryKey,
    onDone: () => {
      onShow({ ...address, view: undefined, columns: undefined }, false);
      toasts.show({ text: texts.removed(view.name) });
      onClose();
    },
  });
  return (
    <AskDialog
      title={texts.removeTitle(view.name)}
      text={view.shared ? texts.removesForAll : texts.removes}
      does={texts.removeIt}
      act={act}
      onClose={onClose}
    />
  );
}
