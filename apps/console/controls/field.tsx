import { type ReactNode, useContext, useState } from 'react';
import {
  FieldError,
  FieldErrorContext,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';
import css from './field.module.css';

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

/**
 * The error of a field. A corrected error keeps its place: blur corrects it while the pointer goes down on the next
 * button, and a button that moves at that moment is not pressed.
 */
function KeptFieldError() {
  const validation = useContext(FieldErrorContext);
  const isInvalid = validation?.isInvalid ?? false;
  const text = isInvalid ? (validation?.validationErrors ?? []).join(' ') : '';
  const [last, setLast] = useState('');
  if (text !== '' && text !== last) setLast(text);
  if (isInvalid || last === '') return <FieldError className={css.error ?? ''} />;
  return (
    <div className={css.mended} aria-hidden>
      {last}
    </div>
  );
}

/** The text of a field of a form; empty without it. */
export function textIn(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}
