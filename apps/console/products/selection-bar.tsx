import { lazy, Suspense, useState } from 'react';
import type { Shop } from '@offizin/contracts/products';
import { ActionBar } from '../controls/action-bar';
import { Button } from '../controls/button';
import { useKeys } from '../shell/keys';
import { SelectionButtons } from '../shell/selection-buttons';
import { useAskedRows } from '../shell/use-asked-rows';
import { useBlocked } from '../shell/use-blocked';
import type { Selecting } from '../shell/use-selection';
import { useFormats } from '../text/texts';
import type { BulkAct } from './bulk-dialog';
import type { ProductRow } from './product-table';
import { useProductTexts } from './product-texts';

const BulkDialog = lazy(() => import('./bulk-dialog'));

interface Props {
  selecting: Selecting<ProductRow>;
  shop: Pick<Shop, 'shop_id' | 'name'>;
  /** An open product owns the keys of these acts. */
  hasKeys: boolean;
}

/** What can be done with the selected products together. */
export function SelectionBar({ selecting, shop, hasKeys }: Props) {
  const texts = useProductTexts();
  const formats = useFormats();
  const words = { tooMany: texts.select.tooMany, offline: texts.blockedOffline };
  const { asked, blocked: blockedNow, ask, done } = useAskedRows(selecting, words);
  const blocked = useBlocked('products.write', texts) ?? blockedNow;
  const [act, setAct] = useState<BulkAct>('attach');
  const begin = (chosen: BulkAct) => () => {
    if (blocked !== null) return;
    setAct(chosen);
    ask();
  };
  const acts = [
    { keys: 'a', does: texts.attach, kind: 'main' as const, run: begin('attach') },
    { keys: 'd', does: texts.detach, kind: 'danger' as const, run: begin('detach') },
  ];
  useKeys('page', hasKeys ? acts : []);
  const count = selecting.selection.size;
  return (
    <>
      <ActionBar label={texts.select.acts(count, formats.number(count))} blocked={blocked}>
        {acts.map(({ keys, does, kind, run }) => (
          <Button
            key={keys}
            kind={kind}
            {...(hasKeys && { shortcut: keys })}
            isDisabled={blocked !== null}
            onPress={run}
          >
            {does}
          </Button>
        ))}
        <SelectionButtons selecting={selecting} texts={texts.select} />
      </ActionBar>
      <Suspense>{asked && <BulkDialog rows={asked} act={act} shop={shop} onClose={done} />}</Suspense>
    </>
  );
}
