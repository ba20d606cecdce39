import { useEffect } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { sentenceOf } from '../../messages/fault';
import { toasts } from '../../messages/toasts';
import { readableName } from '../../text/customer-name';
import { useTexts } from '../../text/texts';
import { useOrderTexts } from '../orders/order-texts';
import { Slip } from './papers';
import { usePrintTexts } from './print-texts';
import css from './printing.module.css';
import { usePrinting } from './use-printing';

const ANSWER_MS = 20_000;

/** Prints a slip from another page. On the screen it is not to be seen; on paper nothing beside it is. */
export function SlipOnPaper({ order }: { order: PipelineOrder }) {
  const texts = usePrintTexts();
  const shared = useTexts();
  const { nameless } = useOrderTexts();
  const { mark, isAsked } = usePrinting('slip', [order]);
  const { error, mutate } = mark;
  const id = `print-${order.id}`;
  const name = readableName(order.customer_name) ?? nameless;
  useEffect(() => {
    if (!isAsked) return;
    const run = () => {
      toasts.close(id);
      mutate();
    };
    const text = error ? texts.notMarked(sentenceOf(error, shared)) : texts.slipAsked(name);
    const label = error ? texts.markAgain : texts.yes;
    // Without an answer nothing is marked.
    toasts.show({
      id,
      text,
      tone: error ? 'failure' : 'plain',
      countdownMs: ANSWER_MS,
      action: { label, run },
    });
  }, [isAsked, error, mutate, id, name, texts, shared]);
  return (
    <div className={css.onPaper}>
      <Slip order={order} />
    </div>
  );
}
