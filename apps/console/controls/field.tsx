import type { ReactNode } from 'react';
import { Input, Label, Text, TextArea, TextField, type TextFieldProps } from 'react-aria-components';
import css from './field.module.css';
import { KeptFieldError } from './field-error';

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  label: string;
  hint?: ReactNode;
  /** Several lines. */
  rows?: number;
}

/** A field for text. Errors come from the form's `validationErrors`, by `name`, or from `errorMessage`. */
export function Field({ label, hint, rows, ...props }: Props) {
  return (
    <TextField {...props} className={css.field ?? ''}>
      <Label className={css.label ?? ''}>{label}</Label>
      {rows === undefined ? (
        <Input className={css.input ?? ''} />
      ) : (
        <TextArea className={css.input ?? ''} rows={rows} />
      )}
      {hint === undefined ? null : (
        <Text slot="description" className={css.hint ?? ''}>
          {hint}
        </Text>
      )}
      <KeptFieldError />
    </TextField>
  );
}
