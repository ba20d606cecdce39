import { useState } from 'react';
import type { ProductLayer } from '@offizin/contracts/products/assortment';
import type { Shop } from '@offizin/contracts/products/products';
import { Button } from '../controls/button';
import { Choice } from '../controls/choice';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { sentenceOf } from '../messages/fault';
import { DraftForm } from '../lists/draft-form';
import { useDraft } from '../session/use-draft';
import { useLanguage, useTexts } from '../text/texts';
import { typedMoney } from '../text/typed-money';
import { type Layer, layeredOf, LAYERS, type Product } from './layers';
import css from './product-detail.module.css';
import { useProductTexts, useValueText } from './product-texts';
import { changeOfOrganization, detach, overrideAtShop, type Place } from './products.calls';
import { useChange } from './use-change';
import { changesOf, type Draft, draftOf } from './value-form';

interface Props {
  layer: 'shop' | 'organization';
  product: Product;
  place: Place;
  onClose: () => void;
}

/** As the server has it. */
const MAX_DESCRIPTION = 10_000;

/** The values of one layer. Only what was changed is sent, so a colleague's change of another field stays. */
export function ValuesDialog({ layer, product, place, onClose }: Props) {
  const texts = useProductTexts();
  const shared = useTexts();
  const money = typedMoney(useLanguage());
  // The values when the dialog was first opened: a later change by a colleague is not reverted.
  const [empty] = useState(() => ({ seen: product[layer], draft: draftOf(product[layer], money) }));
  const kept = useDraft(`${place.p1Id} ${layer === 'shop' ? place.shopId : ''}`, 'values', empty);
  const { seen, draft } = kept.value;
  const save = layer === 'shop' ? overrideAtShop : changeOfOrganization;
  const { mutate, error, isPending } = useChange((changes: Partial<ProductLayer>) => save(place, changes), {
    said: texts.saved(product.name),
    onDone: () => {
      kept.discard();
      onClose();
    },
  });
  const changes = changesOf(seen, draft);
  const change = (changed: Partial<Draft>) => kept.change({ seen, draft: { ...draft, ...changed } });
  return (
    <Dialog title={texts.edit[layer](product.name)} onClose={onClose}>
      <DraftForm
        draft={kept}
        does={texts.save}
        isReady={changes !== null}
        isPending={isPending}
        failure={error && sentenceOf(error, shared)}
        onSend={() => changes && mutate(changes)}
        onClose={onClose}
      >
        <p className={css.quiet}>{texts.editHint[layer]}</p>
        <Values
          layer={layer}
          product={product}
          draft={draft}
          isPriceWrong={changes === null}
          onChange={change}
        />
      </DraftForm>
    </Dialog>
  );
}

interface ValuesProps extends Pick<Props, 'layer' | 'product'> {
  draft: Draft;
  isPriceWrong: boolean;
  onChange: (change: Partial<Draft>) => void;
}

function Values({ layer, product, draft, isPriceWrong, onChange }: ValuesProps) {
  const texts = useProductTexts();
  const before = useValueBefore(layer, product);
  return (
    <>
      <Field
        autoFocus
        label={texts.priceInEuros}
        hint={isPriceWrong ? texts.noMoney : texts.otherwise(before('price'))}
        inputMode="decimal"
        maxLength={20}
        isInvalid={isPriceWrong}
        value={draft.price}
        onChange={(price) => onChange({ price })}
      />
      <Field
        label={texts.field.name}
        hint={texts.otherwise(before('name'))}
        maxLength={255}
        value={draft.name}
        onChange={(name) => onChange({ name })}
      />
      <Field
        label={texts.field.category}
        hint={texts.otherwise(before('category'))}
        maxLength={255}
        value={draft.category}
        onChange={(category) => onChange({ category })}
      />
      <Choice<Draft['available']>
        label={texts.field.available}
        values={[
          { value: '', name: texts.asBelow[layer](before('available')) },
          { value: 'true', name: texts.yes },
          { value: 'false', name: texts.no },
        ]}
        selected={draft.available}
        onSelect={(available) => onChange({ available })}
      />
      <Field
        label={texts.field.description}
        maxLength={MAX_DESCRIPTION}
        rows={3}
        value={draft.description}
        onChange={(description) => onChange({ description })}
      />
    </>
  );
}

/** What counts when the field of this layer is empty. */
function useValueBefore(layer: Layer, product: Product) {
  const valueText = useValueText();
  return (field: 'price' | 'name' | 'category' | 'available') => {
    const values = layeredOf(product, field);
    const isBelow = (each: Layer) => LAYERS.indexOf(each) < LAYERS.indexOf(layer);
    const source = LAYERS.findLast((each) => isBelow(each) && values[each] !== null);
    return valueText(field, source === undefined ? null : values[source]);
  };
}

interface DetachDialogProps {
  name: string;
  shop: Pick<Shop, 'name'>;
  place: Place;
  onClose: () => void;
}

/** It asks first: the shop's own values, also those of an integrator, cannot be brought back. */
export function DetachDialog({ name, shop, place, onClose }: DetachDialogProps) {
  const texts = useProductTexts();
  const shared = useTexts();
  const said = texts.detachedNow(name, shop.name);
  const { mutate, error, isPending } = useChange(() => detach(place), { said, onDone: onClose });
  return (
    <Dialog title={texts.detachOf(name)} isAlert onClose={onClose}>
      <div className={css.form}>
        <p>{texts.detachHint(shop.name)}</p>
        {error && <p role="alert">{sentenceOf(error, shared)}</p>}
        <DialogButtons>
          <Button autoFocus onPress={onClose}>
            {shared.requests.cancel}
          </Button>
          <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
            {texts.detach}
          </Button>
        </DialogButtons>
      </div>
    </Dialog>
  );
}
