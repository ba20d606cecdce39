import { datamatrix } from '@bwip-js/browser';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import { Button } from '../../controls/button';
import { sentenceOf } from '../../messages/fault';
import { useLock } from '../../session/lock';
import { useTexts } from '../../text/texts';
import css from './document-pane.module.css';

/** The Data Matrix that pharmacy systems scan. It is read at each press, and not kept. */
export default function EPrescriptionCode({ read }: { read: () => Promise<EPrescription> }) {
  const allTexts = useTexts();
  const { requests: texts } = allTexts;
  const isLocked = useLock() !== null;
  const {
    data: token,
    mutate,
    reset,
    isPending,
    error,
  } = useMutation({
    mutationFn: read,
    gcTime: 0,
  });
  useEffect(() => {
    if (isLocked) reset();
  }, [isLocked, reset]);
  return (
    <div>
      <Button
        kind="quiet"
        isDisabled={isPending}
        onPress={() => {
          if (token) reset();
          else mutate();
        }}
      >
        {token ? texts.hideCode : texts.showCode}
      </Button>
      {error && <p role="alert">{sentenceOf(error, allTexts)}</p>}
      {token && <canvas className={css.code} role="img" aria-label={texts.codeLabel} ref={drawn(token)} />}
    </div>
  );
}

/** Pixels of a module on the screen: scanners need about 0.35 mm. */
const MODULE_PIXELS = 4;

/** The form of gematik's token; the rest of the page gets no hold of it. */
function drawn({ task_id: task, access_code: code }: EPrescription) {
  const text = JSON.stringify({ urls: [`Task/${task}/$accept?ac=${code}`] });
  return (canvas: HTMLCanvasElement | null) => {
    if (canvas)
      datamatrix(canvas, {
        bcid: 'datamatrix',
        text,
        scale: MODULE_PIXELS,
        padding: 2,
        backgroundcolor: 'FFFFFF',
      });
  };
}
