import { useState } from 'react';
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
import { type Field as FieldName, type Layer, layeredOf, LAYERS, type Product, type Values } from './layers';
import css from './product-detail.module.css';
import { useFailure, useProductTexts, useValueText } from './product-texts';
import { changeOfOrganization, detach, overrideAtShop, type Place } from './products.calls';
import { useChange } from './use-change';
import { changesOf, type Draft, draftOf, wrongFields } from './value-form';

interface Props {
  layer: 'shop' | 'organization';
  product: Product;
  place: Place;
  onClose: () => void;
}

/** As the server has it. */
const MAX_DESCRIPTION = 10_000;
/** Five codes with more than a blank between them. */
const MAX_CODES_LENGTH = 100;

/** The values of one layer. Only what was changed is sent, so a colleague's change of another field stays. */
export function ValuesDialog({ layer, product, place, onClose }: Props) {
  const texts = useProductTexts();
  const failure = useFailure();
  const money = typedMoney(useLanguage());
  // The values when the dialog was first opened: a later change by a colleague is not reverted.
  const [empty] = useState(() => ({ seen: product[layer], draft: draftOf(product[layer], money) }));
  const kept = useDraft(`${place.p1Id} ${layer === 'shop' ? place.shopId : ''}`, 'values', empty);
  const { seen, draft } = kept.value;
  const save = layer === 'shop' ? overrideAtShop : changeOfOrganization;
  const { mutate, error, isPending } = useChange((changes: Partial<Values>) => save(place, changes), {
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
        failure={error && failure(error)}
        onSend={() => changes && mutate(changes)}
        onClose={onClose}
      >
        <p className={css.quiet}>{texts.editHint[layer]}</p>
        <ValueFields layer={layer} product={product} draft={draft} onChange={change} />
      </DraftForm>
    </Dialog>
  );
}

interface ValuesProps extends Pick<Props, 'layer' | 'product'> {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

function ValueFields({ layer, product, draft, onChange }: ValuesProps) {
  const texts = useProductTexts();
  const before = useValueBefore(layer, product);
  const isPriceWrong = wrongFields(draft).includes('price');
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
      {layer === 'organization' && (
        <CodeFields layer={layer} product={product} draft={draft} onChange={onChange} />
      )}
    </>
  );
}

/** A shop has no codes of its own. */
function CodeFields({ layer, product, draft, onChange }: ValuesProps) {
  const texts = useProductTexts();
  const before = useValueBefore(layer, product);
  const wrong = wrongFields(draft);
  return (
    <>
      {(['pzn', 'codes'] as const).map((field) => (
        <Field
          key={field}
          label={texts.field[field]}
          hint={wrong.includes(field) ? texts.wrongCode[field] : texts.otherwise(before(field))}
          inputMode={field === 'pzn' ? 'numeric' : 'text'}
          maxLength={MAX_CODES_LENGTH}
          isInvalid={wrong.includes(field)}
          value={draft[field]}
          onChange={(text) => onChange(field === 'pzn' ? { pzn: text } : { codes: text })}
        />
      ))}
    </>
  );
}

/** What counts when the field of this layer is empty. */
function useValueBefore(layer: Layer, product: Product) {
  const valueText = useValueText();
  return (field: FieldName) => {
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
