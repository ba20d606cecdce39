import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Shop } from '@offizin/contracts/products/products';
import { ActionBar, type KeyedAct, KeyedButtons } from '../controls/action-bar';
import { Chip } from '../controls/chip';
import { DetailBody, DetailPane, DetailSection } from '../controls/detail-pane';
import { Fault, sentenceOf } from '../messages/fault';
import { toasts } from '../messages/toasts';
import { useBlocked } from '../session/use-blocked';
import { useFormats, useTexts } from '../text/texts';
import { type Field, FIELDS, layeredOf, LAYERS, type Product, sourceOf } from './layers';
import css from './product-detail.module.css';
import { useProductTexts, useValueText } from './product-texts';
import { attach, type Place, productDetail } from './products.calls';
import { useChange } from './use-change';

/** Loaded with the first key that opens them. */
const ValuesDialog = lazy(async () => ({ default: (await import('./product-dialogs')).ValuesDialog }));
const DetachDialog = lazy(async () => ({ default: (await import('./product-dialogs')).DetachDialog }));

interface Props {
  id: string;
  shop: Pick<Shop, 'shop_id' | 'name'>;
  onClose: () => void;
}

/** The product on the screen. It is created for each product and shop, so nothing of another one is left in it. */
export function OpenProduct(props: Props) {
  const texts = useProductTexts();
  const place = { shopId: props.shop.shop_id, p1Id: props.id };
  const { data: product, error, refetch } = useQuery(productDetail(place));
  if (product) return <LoadedProduct product={product} {...props} />;
  return (
    <DetailPane label={texts.product} back={texts.back} onClose={props.onClose} isBusy={!error}>
      {error && <Fault error={error} onAgain={() => void refetch()} />}
    </DetailPane>
  );
}

interface Asked {
  kind: AskedKind;
  /** As it was when the dialog opened. */
  product: Product;
}

function LoadedProduct({ product, shop, onClose }: Props & { product: Product }) {
  const texts = useProductTexts();
  const [asked, setAsked] = useState<Asked | null>(null);
  const place = { shopId: shop.shop_id, p1Id: product.p1_id };
  const close = () => setAsked(null);
  return (
    <DetailPane
      label={texts.product}
      back={texts.back}
      onClose={onClose}
      title={product.name}
      facts={<Facts product={product} shopName={shop.name} />}
    >
      <DetailBody label={texts.region}>
        <DetailSection title={texts.values}>
          <LayerTable product={product} />
        </DetailSection>
        <Description product={product} />
      </DetailBody>
      <ProductActions
        product={product}
        shop={shop}
        place={place}
        onAsk={(kind) => setAsked({ kind, product })}
      />
      <Suspense>
        {asked?.kind === 'detach' && (
          <DetachDialog name={product.name} shop={shop} place={place} onClose={close} />
        )}
        {asked && asked.kind !== 'detach' && (
          <ValuesDialog layer={asked.kind} product={asked.product} place={place} onClose={close} />
        )}
      </Suspense>
    </DetailPane>
  );
}

function Facts({ product, shopName }: { product: Product; shopName: string }) {
  const texts = useProductTexts();
  const formats = useFormats();
  const { p1_id: p1Id, stock_quantity: pieces, attached, available } = product;
  return (
    <>
      <div className={css.quiet}>{[p1Id, shopName, texts.stock(formats.number(pieces))].join(' · ')}</div>
      <div className={css.state}>
        <Chip tone={attached ? 'good' : 'plain'}>{attached ? texts.attached : texts.detached}</Chip>
        {!available && <Chip>{texts.notOffered}</Chip>}
        <Link to="/stock" search={{ id: p1Id }}>
          {texts.toStock}
        </Link>
      </div>
    </>
  );
}

function Description({ product }: { product: Product }) {
  const texts = useProductTexts();
  const values = layeredOf(product, 'description');
  const source = sourceOf(values);
  if (source === null) return null;
  return (
    <DetailSection title={texts.description(texts.from[source])}>
      <p className={css.text}>{String(values[source])}</p>
    </DetailSection>
  );
}

/** What a dialog is opened for: the values of a layer, or the question before a product leaves the shop. */
type AskedKind = 'shop' | 'organization' | 'detach';

interface ProductActionsProps {
  product: Product;
  shop: Pick<Shop, 'shop_id' | 'name'>;
  place: Place;
  onAsk: (kind: AskedKind) => void;
}

/** What can be done with the product that is on the screen; in every layout in the same place. */
function ProductActions({ product, shop, place, onAsk }: ProductActionsProps) {
  const texts = useProductTexts();
  const shared = useTexts();
  const blocked = useBlocked('products.write', texts);
  const { attached, name, stock_quantity: pieces } = product;
  const { mutate, isPending } = useChange(() => attach(place), {
    said: texts.attachedNow(name, shop.name),
    onError: (error) => {
      toasts.show({ text: texts.failed(name, sentenceOf(error, shared)), tone: 'failure' });
    },
  });
  const hasStock = pieces > 0;
  const can = blocked === null;
  const inOrOut: KeyedAct = attached
    ? { keys: 'd', does: texts.detach, kind: 'danger', can, run: () => onAsk('detach') }
    : { keys: 'a', does: texts.attach, kind: 'main', can: can && hasStock, isPending, run: () => mutate() };
  const acts = [
    inOrOut,
    { keys: 'e', does: texts.editShop, can: can && attached, run: () => onAsk('shop') },
    { keys: 'Shift e', does: texts.editOrganization, can, run: () => onAsk('organization') },
  ];
  const reason = attached ? null : hasStock ? texts.blockedDetached : texts.blockedStock;
  return (
    <ActionBar label={texts.acts} blocked={blocked ?? reason}>
      <KeyedButtons acts={acts} />
    </ActionBar>
  );
}

/** The values of the three layers side by side; the one that counts is highlighted, and said to a screen reader. */
function LayerTable({ product }: { product: Product }) {
  const texts = useProductTexts();
  return (
    <>
      <p className={css.quiet}>{texts.valuesHint}</p>
      <table className={css.layers}>
        <thead>
          <tr>
            <td />
            {LAYERS.map((layer) => (
              <th key={layer} scope="col">
                {texts.layer[layer]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FIELDS.map((field) => (
            <Row key={field} field={field} product={product} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row({ field, product }: { field: Field; product: Product }) {
  const texts = useProductTexts();
  const valueText = useValueText();
  const values = layeredOf(product, field);
  const source = sourceOf(values);
  return (
    <tr>
      <th scope="row">{texts.field[field]}</th>
      {LAYERS.map((layer) => (
        <td key={layer}>
          {layer === source ? (
            <strong>
              {valueText(field, values[layer])}
              <span className={css.spoken}> {texts.counts}</span>
            </strong>
          ) : (
            valueText(field, values[layer])
          )}
        </td>
      ))}
    </tr>
  );
}
