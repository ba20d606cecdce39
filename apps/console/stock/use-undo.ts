import { useQueryClient } from '@tanstack/react-query';
import type { InventoryAdjustRequest } from '@offizin/contracts/products/inventory';
import { sentenceOf } from '../messages/fault';
import { toasts } from '../messages/toasts';
import { useFormats, useTexts } from '../text/texts';
import { useStockTexts } from './stock-texts';
import { adjust, keepBooked } from './stock.calls';

/** Takes an entry back by its opposite. Sent immediately: it is an entry like every other, and stays in the log. */
export function useUndo(product: string): (opposite: InventoryAdjustRequest) => void {
  const texts = useStockTexts();
  const shared = useTexts();
  const formats = useFormats();
  const client = useQueryClient();
  return (opposite) => {
    adjust(opposite, crypto.randomUUID())
      .then((booked) => {
        toasts.show({ text: texts.booked(product, formats.number(booked.stock_quantity)) });
        return keepBooked(client, opposite.p1_id, booked);
      })
      .catch((error: unknown) => {
        toasts.show({ text: texts.notUndone(product, sentenceOf(error, shared)), tone: 'failure' });
      });
  };
}
