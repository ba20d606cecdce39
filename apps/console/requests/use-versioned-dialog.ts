import { useState } from 'react';
import type { ReviewDetail } from '@offizin/contracts/review';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import type { DialogName } from './decision-dialogs';
import { type Content, contentOf, isSameContent } from './first-approval';

/** The open dialog. It belongs to the content that was on the screen when it opened. */
export function useVersionedDialog(detail: ReviewDetail, isOwnFirst: boolean) {
  const texts = useTexts();
  const content = contentOf(detail);
  const [opened] = useState(content);
  const [dialog, setDialog] = useState<{ name: DialogName; content: Content } | null>(null);
  /** How the content has changed since `before`; null when it has not, or only by this person. */
  const changeSince = (before: Content): string | null => {
    if (before.version !== content.version) return texts.live.newVersion(content.version);
    if (isSameContent(before, content) || isOwnFirst) return null;
    return texts.requests.secondLook.refused[content.firstAt === null ? 'gone' : 'changed'];
  };
  return {
    dialog: dialog?.name ?? null,
    setDialog: (name: DialogName | null) => {
      setDialog(name && { name, content });
    },
    close: () => {
      setDialog(null);
    },
    /** Says so, when a decision of the dialog was made about older content: it is not sent. */
    isOutdated: () => {
      const change = dialog && changeSince(dialog.content);
      if (change !== null) toasts.show({ text: change, tone: 'failure' });
      return change !== null;
    },
    /** What has changed since the request was opened. */
    notice: changeSince(opened),
  };
}
