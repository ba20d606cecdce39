import { useContext, useState } from 'react';
import { FieldError, FieldErrorContext } from 'react-aria-components';
import css from './field.module.css';

/**
 * The error of a field. A corrected error keeps its place: blur corrects it while the pointer goes down on the next
 * button, and a button that moves at that moment is not pressed.
 */
export function KeptFieldError() {
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
