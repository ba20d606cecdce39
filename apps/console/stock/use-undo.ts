import { useQueryClient } from '@tanstack/react-query';
import type { InventoryAdjustRequest } from '@offizin/contracts/products/inventory';
import { sentenceOf } from '../messages/fault';
import { toasts } from '../messages/toasts';
import { useFormats, useTexts } from '../text/texts';
import { useStockTexts } from './stock-texts';
import { adjust, keepBooked } from './stock.calls';

/** One message per product, which states its present stock: an earlier one would state another, with its own undo. */
export function bookedMessage(p1Id: string): { id: string } {
  return { id: `stock ${p1Id}` };
}

/** Takes an entry back by its opposite. Sent immediately: it is an entry like every other, and stays in the log. */
export function useUndo(product: string): (opposite: InventoryAdjustRequest) => void {
  const texts = useStockTexts();
  const shared = useTexts();
  const formats = useFormats();
  const client = useQueryClient();
  return (opposite) => {
    adjust(opposite, crypto.randomUUID())
      .then((booked) => {
        const text = texts.booked(product, formats.number(booked.stock_quantity));
        toasts.show({ ...bookedMessage(opposite.p1_id), text });
        return keepBooked(client, opposite.p1_id, booked);
      })
      .catch((error: unknown) => {
        toasts.show({ text: texts.notUndone(product, sentenceOf(error, shared)), tone: 'failure' });
      });
  };
}
