import { useEffect } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { soundAlarm } from '../messages/sounds';
import { hasAlarm } from '../session/preferences';
import css from './scan-alarm.module.css';
import { pictured } from './scan-keys';
import { useScanTexts } from './scan-texts';
import type { ScannedProduct } from './scanned-product';

/** `other`: a code of another product than the one whose packs are being scanned; `busy`: while those are being booked. */
export type WrongScan =
  | Exclude<ScannedProduct, { kind: 'product' }>
  | { kind: 'other'; code: string; name: string; wanted: string }
  | { kind: 'busy'; code: string };

interface Props {
  scan: WrongScan;
  onUnderstood: () => void;
}

/** A code that did nothing: said in words, in colour, and by the alarm. The next code takes its place. */
export default function ScanAlarm({ scan, onUnderstood }: Props) {
  const texts = useScanTexts();
  useEffect(() => {
    if (hasAlarm()) soundAlarm();
  }, [scan]);
  return (
    <Dialog title={texts.title[scan.kind]} isAlert onClose={onUnderstood}>
      <p className={css.alarm} data-takes-scans>
        {sentence(texts, scan)}
      </p>
      <DialogButtons>
        <Button kind="main" autoFocus shortcut="Escape" onPress={onUnderstood}>
          {texts.understood}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function sentence(texts: ReturnType<typeof useScanTexts>, scan: WrongScan): string {
  switch (scan.kind) {
    case 'garbage':
      return texts.garbage;
    case 'unreadable':
      return texts.unreadableCode(texts.unreadable[scan.because], pictured(scan.code));
    case 'unknown':
      return texts.unknown(pictured(scan.code));
    case 'unanswered':
      return texts.unanswered(pictured(scan.code));
    case 'unclear':
      return texts.unclear(pictured(scan.code), scan.names.join(', '));
    case 'busy':
      return texts.busy(pictured(scan.code));
    case 'other':
      return texts.other(scan.name, scan.wanted, pictured(scan.code));
  }
}
