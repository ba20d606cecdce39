import { useState } from 'react';
import type { ReviewDetail } from '@offizin/contracts/review';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import type { DialogName } from './decision-dialogs';

/** The open dialog. It belongs to the version that was on the screen when it opened. */
export function useVersionedDialog({ version }: ReviewDetail) {
  const texts = useTexts().live;
  const [opened] = useState(version);
  const [dialog, setDialog] = useState<{ name: DialogName; version: number } | null>(null);
  return {
    dialog: dialog?.name ?? null,
    setDialog: (name: DialogName | null) => {
      setDialog(name && { name, version });
    },
    close: () => {
      setDialog(null);
    },
    /** Says so, when a decision of the dialog was made about an older version: it is not sent. */
    isOutdated: () => {
      const isOlder = dialog !== null && dialog.version !== version;
      if (isOlder) toasts.show({ text: texts.newVersion(version), tone: 'failure' });
      return isOlder;
    },
    /** That the partner has sent another version than the one that was opened; null without one. */
    newVersion: version === opened ? null : texts.newVersion(version),
  };
}
