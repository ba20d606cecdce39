import type { Shop } from '@offizin/contracts/products';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { sentenceOf } from '../shell/fault';
import { useTexts } from '../text/texts';
import { useProductTexts } from './product-texts';
import { detach, type Place } from './products.calls';
import { useChange } from './use-change';
import css from './product-detail.module.css';

interface Props {
  name: string;
  shop: Pick<Shop, 'name'>;
  place: Place;
  onClose: () => void;
}

/** It asks first: the shop's own values, also those of an integrator, cannot be brought back. */
export default function DetachDialog({ name, shop, place, onClose }: Props) {
  const texts = useProductTexts();
  const shared = useTexts();
  const said = texts.detachedNow(name, shop.name);
  const { mutate, error, isPending } = useChange(() => detach(place), { said, onDone: onClose });
  return (
    <Dialog title={texts.detachOf(name)} isOpen isAlert onClose={onClose}>
      <div className={css.form}>
        <p>{texts.detachHint(shop.name)}</p>
        {error && <p role="alert">{sentenceOf(error, shared)}</p>}
        <DialogButtons>
          <Button autoFocus onPress={onClose}>
            {texts.cancel}
          </Button>
          <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
            {texts.detach}
          </Button>
        </DialogButtons>
      </div>
    </Dialog>
  );
}
