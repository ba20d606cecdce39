import { type ReactNode, useState } from 'react';
import { Button } from '../../controls/button';
import { Check } from '../../controls/check';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { useTexts } from '../../text/texts';
import { CopyField } from './copy-field';
import css from './secret-dialog.module.css';
import { useSettingsTexts } from './settings-texts';

interface Props {
  title: string;
  /** What it is; it names the field. */
  label: string;
  /** Null when the server has shown it before. */
  secret: string | null;
  /** Until when it counts, and what to do with it. */
  children: ReactNode;
  /** What the person says before it goes for good. */
  stored: string;
  onClose: () => void;
}

/** A link or a key that is shown this once: it closes only when the person says that it is kept. */
export function SecretDialog({ title, label, secret, children, stored, onClose }: Props) {
  const shared = useTexts();
  const texts = useSettingsTexts();
  const [isStored, setStored] = useState(false);
  return (
    <Dialog title={title} isAlert onClose={isStored ? onClose : stays}>
      {secret === null ? (
        <p role="alert">{texts.shownBefore}</p>
      ) : (
        <>
          <p>{texts.shownOnce}</p>
          <CopyField label={label} value={secret} />
        </>
      )}
      <div className={css.about}>{children}</div>
      {secret !== null && <Check label={stored} isChecked={isStored} onToggle={() => setStored(!isStored)} />}
      <DialogButtons>
        <Button kind="main" isDisabled={secret !== null && !isStored} onPress={onClose}>
          {shared.shell.close}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function stays(): void {
  // Escape must not lose what is shown once.
}
