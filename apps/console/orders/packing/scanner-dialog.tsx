import { datamatrix } from '@bwip-js/browser';
import { useState } from 'react';
import { Button } from '../../controls/button';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { LAYOUT_CODE, layoutOf, rememberedLayout, rememberLayout } from '../../keyboard/scanner-layout';
import { soundAlarm, soundCounted } from '../../messages/sounds';
import { useTexts } from '../../text/texts';
import { usePackingTexts } from './packing-texts';
import css from './packing.module.css';

/** Learns by one code which keyboard the scanner types on. */
export default function ScannerDialog({ isLoud, onClose }: { isLoud: boolean; onClose: () => void }) {
  const { setUp: texts } = usePackingTexts();
  const { shell } = useTexts();
  const [layout, setLayout] = useState(rememberedLayout);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const type = (typed: string) => {
    const learned = layoutOf(typed);
    setText(learned === null ? typed : '');
    if (learned === null) return;
    const isKept = rememberLayout(learned);
    if (isKept) setLayout(learned);
    setProblem(isKept ? null : texts.notKept);
    if (isLoud) (isKept ? soundCounted : soundAlarm)();
  };
  const end = () => {
    setProblem(texts.wrong(text));
    setText('');
    if (isLoud) soundAlarm();
  };
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <p>{texts.about}</p>
      <canvas className={css.layoutCode} role="img" aria-label={texts.image} ref={drawn} />
      <Field
        autoFocus
        label={texts.field}
        hint={layout === null ? texts.none : texts.state[layout]}
        value={text}
        onChange={type}
        onKeyDown={(event) => {
          // The end of a right code arrives when the field is empty again.
          if (text === '' || (event.key !== 'Enter' && event.key !== 'Tab')) {
            event.continuePropagation();
            return;
          }
          event.preventDefault();
          end();
        }}
        autoComplete="off"
        spellCheck="false"
      />
      {problem !== null && (
        <p className={css.shout} role="alert">
          {problem}
        </p>
      )}
      <DialogButtons>
        <Button onPress={() => window.print()}>{texts.print}</Button>
        <Button onPress={onClose}>{shell.close}</Button>
      </DialogButtons>
    </Dialog>
  );
}

/** Half of a module in pixels: a module is 1.6 mm on paper. */
const HALF_MODULE = 3;

function drawn(canvas: HTMLCanvasElement | null): void {
  if (canvas)
    datamatrix(canvas, {
      bcid: 'datamatrix',
      text: LAYOUT_CODE,
      scale: HALF_MODULE,
      // Readers need white around it, in every theme.
      padding: 2,
      backgroundcolor: 'FFFFFF',
    });
}
