import { Check } from '../controls/check';
import { Choice } from '../controls/choice';
import { Field } from '../controls/field';
import { type EndpointDraft, isRate } from './endpoint-draft';
import { KINDS } from './delivery-search';
import { useWebhookTexts } from './webhook-texts';
import css from './endpoint-fields.module.css';

interface Props {
  draft: EndpointDraft;
  change: (change: Partial<EndpointDraft>) => void;
}

/** What an endpoint is sent, where to, and how fast. */
export function EndpointFields({ draft: { url, description, kinds, rate }, change }: Props) {
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
