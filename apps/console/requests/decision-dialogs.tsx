import type { ReviewDetail } from '@offizin/contracts/review';
import type { MessageTemplate, ReviewSettings } from '@offizin/contracts/review-settings';
import { readableName } from '../text/customer-name';
import { useTexts } from '../text/texts';
import type { Choice } from './decision';
import { EditDialog } from './edit-dialog';
import { NoteDialog } from './note-dialog';
import { RejectDialog } from './reject-dialog';
import { templatesFor, templatesOf } from './review-settings';
import { SharedDialog } from './shared-dialog';
import { StockDialog } from './stock-dialog';
import { TextDialog } from './text-dialog';
import type { ColleagueCheck } from './use-colleague-check';
import type { Editing } from './use-edits';

export type DialogName = 'ask' | 'reject' | 'override' | 'stock' | 'edit' | 'note' | 'shared';

interface Props {
  open: DialogName | null;
  /** As the partner sent it. */
  sent: ReviewDetail;
  editing: Editing;
  settings: ReviewSettings;
  /** Red checks and open marks, as sentences. */
  concerns: readonly string[];
  /** The prescriber's telephone number in the document, if there is one. */
  phone: string | null;
  colleagues: ColleagueCheck;
  onAct: (choice: Choice) => void;
  onApprove: () => void;
  onOpen: (dialog: DialogName) => void;
  onClose: () => void;
}

/** What a decision asks for before it is taken. */
export function DecisionDialogs(props: Props) {
  const { open, sent, editing, settings, concerns, phone, colleagues, onAct, onApprove, onOpen, onClose } =
    props;
  const texts = useTexts().requests;
  const detail = editing.shown;
  const templates = templatesOf(settings, texts.questionTemplates);
  const customer = readableName(detail.customer_name) ?? texts.nameless;
  switch (open) {
    case null:
      return null;
    case 'edit':
      return <EditDialog sent={sent} editing={editing} onClose={onClose} />;
    case 'shared':
      return (
        <SharedDialog
          customer={customer}
          names={colleagues.names}
          onApprove={() => {
            colleagues.onAsked();
            onApprove();
          }}
          onClose={onClose}
        />
      );
    case 'stock':
      return <StockDialog customer={customer} onClose={onClose} onEdit={() => onOpen('edit')} />;
    case 'note':
      return <NoteDialog detail={detail} onClose={onClose} />;
    case 'reject':
      return (
        <RejectDialog
          requestId={detail.id}
          customer={customer}
          templates={templatesFor('reject', templates)}
          onClose={onClose}
          onReject={(body) => {
            onAct({ kind: 'reject', body });
          }}
        />
      );
    case 'ask':
      return (
        <AskDialog
          detail={detail}
          customer={customer}
          phone={phone}
          onAct={onAct}
          onClose={onClose}
          templates={templatesFor('ask', templates)}
        />
      );
    case 'override':
      return (
        <OverrideDialog
          detail={detail}
          customer={customer}
          concerns={concerns}
          onAct={onAct}
          onClose={onClose}
        />
      );
  }
}

interface AskProps extends Pick<Props, 'phone' | 'onAct' | 'onClose'> {
  detail: ReviewDetail;
  customer: string;
  templates: readonly MessageTemplate[];
}

function AskDialog({ detail, customer, phone, templates, onAct, onClose }: AskProps) {
  const texts = useTexts().requests;
  return (
    <TextDialog
      requestId={detail.id}
      name="ask"
      title={texts.askTitle(customer)}
      label={texts.question}
      hint={texts.noHealthData}
      submit={texts.ask}
      maxLength={10_000}
      templates={templates}
      onClose={onClose}
      onSubmit={(question) => {
        onAct({ kind: 'ask', body: { question } });
      }}
    >
      {phone !== null && <p>{texts.prescriberPhone(phone)}</p>}
    </TextDialog>
  );
}

/** What is overridden, and why. */
function OverrideDialog({
  customer,
  concerns,
  detail: { id },
  onAct,
  onClose,
}: Pick<Props, 'concerns' | 'onAct' | 'onClose'> & { customer: string; detail: ReviewDetail }) {
  const texts = useTexts().requests;
  return (
    <TextDialog
      requestId={id}
      name="override"
      title={texts.overrideTitle(customer)}
      label={texts.overrideReason}
      submit={texts.approveAnyway}
      maxLength={1_000}
      onClose={onClose}
      onSubmit={(reason) => {
        const acknowledged = concerns.map((concern) => concern.slice(0, 100));
        onAct({ kind: 'approve', body: { acknowledged, reason } });
      }}
    >
      <Concerns concerns={concerns} />
    </TextDialog>
  );
}

function Concerns({ concerns }: Pick<Props, 'concerns'>) {
  return (
    <ul>
      {concerns.map((concern) => (
        <li key={concern}>{concern}</li>
      ))}
    </ul>
  );
}
