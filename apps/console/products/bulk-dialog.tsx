import type { Shop } from '@offizin/contracts/products/products';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { ApiError } from '../calls/api';
import { sentenceOf } from '../messages/fault';
import { BulkRefused } from '../lists/bulk-steps';
import { useBulk } from '../lists/use-bulk';
import { useFormats, useTexts } from '../text/texts';
import type { ProductRow } from './product-table';
import { useProductTexts } from './product-texts';
import { attach, detach } from './products.calls';
import css from './product-detail.module.css';

/** Into the shop, or out of it. */
export type BulkAct = 'attach' | 'detach';

interface Props {
  rows: readonly ProductRow[];
  act: BulkAct;
  shop: Pick<Shop, 'shop_id' | 'name'>;
  /** With the ids that have changed. */
  onClose: (changed: readonly string[]) => void;
}

/** Many products into a shop or out of it, after one question; shows for each that was refused why. */
export default function BulkDialog({ rows, act, shop, onClose }: Props) {
  const texts = useProductTexts();
  const shared = useTexts();
  const formats = useFormats();
  const { bulk, begin } = useShopBulk(rows, act, shop.shop_id);
  const { outcomes, refused, isBegun, isRunning } = bulk;
  const close = () => {
    if (!isRunning) onClose(bulk.doneIds());
  };
  const sentence = isRunning
    ? texts.bulk.running(outcomes.length, rows.length)
    : texts.bulk.done[act](rows.length - refused.length, refused.length);
  return (
    <Dialog title={texts.bulk.title[act](formats.number(rows.length))} isAlert onClose={close}>
      <div className={css.form}>
        {isBegun ? <p role="status">{sentence}</p> : <p>{texts.bulk.hint[act](shop.name)}</p>}
        <BulkRefused
          bulk={bulk}
          label={texts.bulk.refused}
          nameOf={({ name, p1_id: p1Id }) => (
            <>
              <strong>{name}</strong> {p1Id}
            </>
          )}
        />
        <DialogButtons>
          <Button autoFocus isDisabled={isRunning} onPress={close}>
            {isBegun ? shared.shell.close : shared.requests.cancel}
          </Button>
          {!isBegun && (
            <Button kind={act === 'attach' ? 'main' : 'danger'} onPress={begin}>
              {texts[act]}
            </Button>
          )}
        </DialogButtons>
      </div>
    </Dialog>
  );
}

function useShopBulk(rows: readonly ProductRow[], act: BulkAct, shopId: string) {
  const texts = useProductTexts();
  const shared = useTexts();
  const bulk = useBulk(rows, ['products']);
  const send = act === 'attach' ? attach : detach;
  const refusalOf = (error: unknown) =>
    act === 'detach' && error instanceof ApiError && error.code === 'not_found'
      ? texts.bulk.notThere
      : sentenceOf(error, shared);
  const begin = () => bulk.run(({ p1_id: p1Id }) => send({ shopId, p1Id }).then(() => null, refusalOf));
  return { bulk, begin };
}
