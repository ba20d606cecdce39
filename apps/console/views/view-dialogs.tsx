import { useState } from 'react';
import type { View } from '@offizin/contracts/console/views';
import { Check } from '../controls/check';
import { Field } from '../controls/field';
import { AskDialog } from '../settings/forms/ask-dialog';
import { FormDialog } from '../settings/forms/form-dialog';
import { useAct } from '../settings/forms/use-act';
import { useSession } from '../session/session.calls';
import { toasts } from '../messages/toasts';
import { hasTyped, keptOf, type ViewsProps } from './view-state';
import { useViewsTexts } from './views-texts';
import { changeView, createView, removeView, viewsQuery } from './views.calls';

interface Props extends ViewsProps {
  /** Null: the present filter becomes a new one. */
  view: View | null;
  onClose: () => void;
}

export function NameDialog({ view, onClose, ...props }: Props) {
  const { screen, address, columns, onShow } = props;
  const texts = useViewsTexts();
  const { scopes } = useSession();
  const [name, setName] = useState(view?.name ?? '');
  const [shared, setShared] = useState(false);
  const given = name.trim();
  const content = { screen, query: keptOf(screen, address), columns: [...columns], shared };
  const act = useAct({
    send: () => (view ? changeView(view, { name: given }) : createView({ ...content, name: given })),
    queryKey: viewsQuery(screen).queryKey,
    onDone: (saved) => {
      if (!view) onShow({ ...address, view: saved.id, columns: undefined }, false);
      toasts.show({ text: texts.saved(saved.name) });
      onClose();
    },
    conflict: texts.taken,
  });
  const title = view ? texts.renameTitle(view.name) : texts.saveTitle;
  return (
    <FormDialog
      title={title}
      act={act}
      does={texts.store}
      isReady={given !== ''}
      onSend={() => given !== '' && act.run()}
      onClose={onClose}
    >
      <Field
        autoFocus
        label={texts.name}
        hint={texts.nameHint}
        name="name"
        maxLength={60}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      {!view && <p>{hasTyped(address) ? texts.keepsNoText : texts.keeps}</p>}
      {!view && scopes.includes('views.share') && (
        <Check label={texts.forAll} isChecked={shared} onToggle={() => setShared(!shared)} />
      )}
    </FormDialog>
  );
}

interface RemoveDialogProps extends ViewsProps {
  view: View;
  onClose: () => void;
}

/** The filter of the list stays. */
export function RemoveDialog({ view, screen, address, onShow, onClose }: RemoveDialogProps) {
  const texts = useViewsTexts();
  return (
    <AskDialog
      title={texts.removeTitle(view.name)}
      text={view.shared ? texts.removesForAll : texts.removes}
      does={texts.removeIt}
      send={() => removeView(view.id)}
      queryKey={viewsQuery(screen).queryKey}
      said={texts.removed(view.name)}
      onDone={() => {
        onShow({ ...address, view: undefined, columns: undefined }, false);
        onClose();
      }}
      onClose={onClose}
    />
  );
}
