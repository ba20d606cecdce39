import { useEffect } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { sentenceOf } from '../../messages/fault';
import { toasts } from '../../messages/toasts';
import { useTexts } from '../../text/texts';
import { Slip } from './papers';
import { usePrintTexts } from './print-texts';
import css from './printing.module.css';
import { usePrinting } from './use-printing';

/** Prints a slip from another page. On the screen it is not to be seen; on paper nothing beside it is. */
export function SlipOnPaper({ order }: { order: PipelineOrder }) {
  const texts = usePrintTexts();
  const shared = useTexts();
  const { mark } = usePrinting('slip', [order]);
  const { error, mutate } = mark;
  const id = `print-${order.id}`;
  useEffect(() => {
    if (!error) return;
    const run = () => {
      toasts.close(id);
      mutate();
    };
    const text = texts.notMarked(sentenceOf(error, shared));
    toasts.show({ id, text, tone: 'failure', action: { label: texts.markAgain, run } });
  }, [error, mutate, id, texts, shared]);
  return (
    <div className={css.onPaper}>
      <Slip order={order} />
    </div>
  );
}
