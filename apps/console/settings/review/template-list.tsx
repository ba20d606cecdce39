import type { MessageTemplate } from '@offizin/contracts/requests/review-settings';
import { Button } from '../../controls/button';
import { Choice } from '../../controls/choice';
import { Field } from '../../controls/field';
import { SettingsSection } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { useTexts } from '../../text/texts';
import css from './review-settings.module.css';

const MAX_TEMPLATES = 50;
const USES = ['ask', 'reject'] as const;

interface Props {
  templates: readonly MessageTemplate[];
  onChange: (templates: readonly MessageTemplate[]) => void;
}

export function TemplateList({ templates, onChange }: Props) {
  const { review: texts } = useSettingsTexts();
  const replace = (at: number, change: Partial<MessageTemplate>) => {
    onChange(templates.map((other, index) => (index === at ? { ...other, ...change } : other)));
  };
  return (
    <SettingsSection title={texts.templates}>
      <p className={css.quiet}>{texts.templatesHint}</p>
      {templates.map((template, at) => (
        <Template
          key={at}
          template={template}
          at={at}
          onChange={(change) => {
            replace(at, change);
          }}
          onRemove={() => {
            onChange(templates.filter((_, index) => index !== at));
          }}
        />
      ))}
      <div>
        <Button
          isDisabled={templates.length >= MAX_TEMPLATES}
          onPress={() => {
            onChange([...templates, { name: '', text: '', use: 'ask' }]);
          }}
        >
          {texts.add}
        </Button>
      </div>
    </SettingsSection>
  );
}

interface TemplateProps {
  template: MessageTemplate;
  at: number;
  onChange: (change: Partial<MessageTemplate>) => void;
  onRemove: () => void;
}

function Template({ template: { name, text, use }, at, onChange, onRemove }: TemplateProps) {
  const { review: texts } = useSettingsTexts();
  const path = `templates[${at}]`;
  return (
    <div role="group" aria-label={texts.template(at + 1)} className={css.template}>
      <Field
        label={texts.name}
        name={`${path}.name`}
        maxLength={100}
        value={name}
        onChange={(changed) => {
          onChange({ name: changed });
        }}
      />
      <Field
        label={texts.text}
        name={`${path}.text`}
        maxLength={2000}
        rows={3}
        value={text}
        onChange={(changed) => {
          onChange({ text: changed });
        }}
      />
      <Choice
        label={texts.use}
        values={USES.map((value) => ({ value, name: texts.uses[value] }))}
        selected={use}
        onSelect={(chosen) => {
          onChange({ use: chosen });
        }}
      />
      <div className={css.remove}>
        <Button kind="quiet" aria-label={texts.removeTemplate(at + 1)} onPress={onRemove}>
          {useTexts().deciding.remove}
        </Button>
      </div>
    </div>
  );
}
