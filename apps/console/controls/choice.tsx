import { Label, RadioButton, RadioField, RadioGroup, Text } from 'react-aria-components';
import css from './choice.module.css';

interface Props<Value extends string> {
  label: string;
  hint?: string;
  values: readonly { value: Value; name: string }[];
  selected: Value;
  isDisabled?: boolean;
  onSelect: (value: Value) => void;
}

/** One of a few values, all in sight. */
export function Choice<Value extends string>({
  label,
  hint,
  values,
  selected,
  isDisabled = false,
  onSelect,
}: Props<Value>) {
  return (
    <RadioGroup
      className={css.choice ?? ''}
      value={selected}
      isDisabled={isDisabled}
      onChange={(chosen) => {
        const known = values.find(({ value }) => value === chosen);
        if (known) onSelect(known.value);
      }}
      orientation="horizontal"
    >
      <Label className={css.label ?? ''}>{label}</Label>
      <div className={css.values}>
        {values.map(({ value, name }) => (
          <RadioField key={value} value={value}>
            <RadioButton className={css.value ?? ''}>{name}</RadioButton>
          </RadioField>
        ))}
      </div>
      {hint === undefined ? null : (
        <Text slot="description" className={css.hint ?? ''}>
          {hint}
        </Text>
      )}
    </RadioGroup>
  );
}
