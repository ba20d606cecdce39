import { useState } from 'react';
import type { MessageTemplate } from '@offizin/contracts/review-settings';
import { Button } from '../controls/button';
import { useKeys } from '../shell/keys';
import { useTexts } from '../text/texts';
import css from './dialogs.module.css';

interface Props {
  templates: readonly MessageTemplate[];
  /** What is in the field; a template is put below it. */
  text: string;
  onText: (text: string) => void;
}

/** The organization's texts for partners, opened by a button or `m`. */
export function Templates({ templates, text, onText }: Props) {
  const { deciding } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const toggle = () => {
    setOpen(!isOpen);
  };
  useKeys('dialog', [{ keys: 'm', does: deciding.templates, run: toggle }]);
  if (templates.length === 0) return null;
  return (
    <div className={css.templates}>
      <Button kind="quiet" shortcut="m" aria-expanded={isOpen} onPress={toggle}>
        {deciding.templates}
      </Button>
      {isOpen &&
        templates.map((template, at) => (
          <Button
            key={at}
            onPress={() => {
              onText(text.trim() === '' ? template.text : `${text.trimEnd()}\n${template.text}`);
              setOpen(false);
            }}
          >
            {template.name}
          </Button>
        ))}
    </div>
  );
}
