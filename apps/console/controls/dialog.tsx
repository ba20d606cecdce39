import { createContext, type ReactNode, useContext } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { DIALOGS, useKeys } from '../keyboard/keys';
import css from './dialog.module.css';

interface Props {
  title: string;
  onClose: () => void;
  /** Interrupts for a decision, such as a confirmation. */
  isAlert?: boolean;
  /** A call is under way: it stays, so that the answer, such as a secret, is seen. */
  isBusy?: boolean;
  children: ReactNode;
}

/** The element that dialogs cover in place of the whole window, so that what is beside it can be read. */
export const DialogPlace = createContext<Element | null>(null);

/** Escape and a press outside close it; focus goes back to where it was. */
export function Dialog({ title, onClose, isAlert = false, isBusy = false, children }: Props) {
  const place = useContext(DialogPlace);
  useKeys('dialog', [{ keys: 'Ctrl Enter', does: title, run: pressMain, hidden: true }]);
  return (
    <ModalOverlay
      className={(place ? css.panel : css.overlay) ?? ''}
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- what replaces it is in no package of ours
      {...(place && { UNSTABLE_portalContainer: place })}
      isOpen
      onOpenChange={(open) => {
        if (!open && !isBusy) onClose();
      }}
      isDismissable={!isAlert}
    >
      <Modal className={css.modal ?? ''}>
        <AriaDialog className={css.dialog ?? ''} role={isAlert ? 'alertdialog' : 'dialog'}>
          <Heading slot="title" level={2} className={css.title ?? ''}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The act of the topmost dialog, whose button is its last that sends or decides. */
function pressMain(): void {
  const button = ':is([type=submit], [data-kind=main], [data-kind=danger])';
  const top = [...document.querySelectorAll(DIALOGS)].at(-1);
  [...(top?.querySelectorAll<HTMLElement>(`button${button}`) ?? [])].at(-1)?.click();
}

/** The buttons of a dialog, the act that matters last. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return <div className={css.buttons}>{children}</div>;
}
