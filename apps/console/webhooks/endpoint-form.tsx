import { Check } from '../controls/check';
import { Choice } from '../controls/choice';
import { Field } from '../controls/field';
import { SecretDialog } from '../settings/forms/secret-dialog';
import { FormDialog } from '../settings/forms/form-dialog';
import { type Act, ownMistakes } from '../settings/forms/use-act';
import { useFormats } from '../text/texts';
import { KINDS } from './delivery-search';
import { type EndpointDraft, isComplete, isRate } from './endpoint-draft';
import css from './endpoint-form.module.css';
import { useWebhookTexts } from './webhook-texts';

interface Props {
  title: string;
  /** The word on the button. */
  does: string;
  draft: EndpointDraft;
  onChange: (draft: EndpointDraft) => void;
  act: Act<void>;
  onClose: () => void;
}

/** The fields of a new endpoint, or of one that is changed. */
export function EndpointForm({ title, does, draft, onChange, act, onClose }: Props) {
  const texts = useWebhookTexts();
  return (
    <FormDialog
      title={title}
      act={act}
      does={does}
      isReady={isComplete(draft)}
      mistakes={ownMistakes(act, { url: texts.noUrl })}
      onSend={() => isComplete(draft) && act.run()}
      onClose={onClose}
    >
      <EndpointFields draft={draft} change={(change) => onChange({ ...draft, ...change })} />
    </FormDialog>
  );
}

interface EndpointFieldsProps {
  draft: EndpointDraft;
  change: (change: Partial<EndpointDraft>) => void;
}

/** What an endpoint is sent, where to, and how fast. */
function EndpointFields({ draft: { url, description, kinds, rate }, change }: EndpointFieldsProps) {
  const texts = useWebhookTexts();
  return (
    <>
      <Field
        autoFocus
        isRequired
        label={texts.url}
        hint={texts.urlHint}
        name="url"
        maxLength={2048}
        inputMode="url"
        autoComplete="off"
        value={url}
        onChange={(typed) => change({ url: typed })}
      />
      <Field
        label={texts.description}
        name="description"
        maxLength={200}
        value={description}
        onChange={(typed) => change({ description: typed })}
      />
      <Choice
        label={texts.kinds}
        values={(['every', 'some'] as const).map((value) => ({ value, name: texts.kindsOf[value] }))}
        selected={kinds === null ? 'every' : 'some'}
        onSelect={(chosen) => change({ kinds: chosen === 'every' ? null : (kinds ?? []) })}
      />
      {kinds !== null && <Kinds kinds={kinds} onChoose={(chosen) => change({ kinds: chosen })} />}
      <Field
        label={texts.rate}
        hint={isRate(rate) ? texts.rateHint : texts.noRate}
        name="rate_per_second"
        inputMode="numeric"
        maxLength={4}
        value={rate}
        isInvalid={!isRate(rate)}
        onChange={(typed) => change({ rate: typed })}
      />
    </>
  );
}

type Kind = (typeof KINDS)[number];

function Kinds({ kinds, onChoose }: { kinds: readonly Kind[]; onChoose: (kinds: readonly Kind[]) => void }) {
  const texts = useWebhookTexts();
  return (
    <fieldset className={css.kinds} aria-label={texts.kinds}>
      {KINDS.map((kind) => (
        <Check
          key={kind}
          label={kind}
          isChecked={kinds.includes(kind)}
          onToggle={() =>
            onChoose(kinds.includes(kind) ? kinds.filter((other) => other !== kind) : [...kinds, kind])
          }
        />
      ))}
    </fieldset>
  );
}

interface SecretShownProps {
  /** Null when the server has shown it before. */
  secret: string | null;
  /** After a rotation: until when the previous one signs, too. */
  previousUntil?: string | null;
  onClose: () => void;
}

export function SecretShown({ secret, previousUntil = null, onClose }: SecretShownProps) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  return (
    <SecretDialog
      title={texts.secretTitle}
      label={texts.secret}
      secret={secret}
      stored={texts.secretStored}
      onClose={onClose}
    >
      <p>{texts.secretHint}</p>
      {previousUntil !== null && <p>{texts.previousUntil(formats.dateTime(previousUntil))}</p>}
    </SecretDialog>
  );
}
