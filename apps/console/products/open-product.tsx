import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Shop } from '@offizin/contracts/products';
import { Chip } from '../controls/chip';
import { DetailBody, DetailPane, DetailSection } from '../controls/detail-pane';
import { Fault } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { useFormats } from '../text/texts';
import { LayerTable } from './layer-table';
import { layeredOf, sourceOf, type Product } from './layers';
import { type AskedKind, ProductActions } from './product-actions';
import { useProductTexts } from './product-texts';
import { productDetail } from './products.calls';
import css from './product-detail.module.css';

/** Loaded with the first key that opens them. */
const ValuesDialog = lazy(() => import('./values-dialog'));
const DetachDialog = lazy(() => import('./detach-dialog'));

interface Props {
  id: string;
  shop: Pick<Shop, 'shop_id' | 'name'>;
  onClose: () => void;
}

/** The product on the screen. It is made anew for each product and shop, so nothing of another one is left in it. */
export function OpenProduct(props: Props) {
  const texts = useProductTexts();
  const { org } = useSession();
  const place = { orgId: org.id, shopId: props.shop.shop_id, p1Id: props.id };
  const { data: product, error, refetch } = useQuery(productDetail(place));
  if (product) return <Shown product={product} {...props} />;
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

function Shown({ product, shop, onClose }: Props & { product: Product }) {
  const texts = useProductTexts();
  const { org } = useSession();
  const [asked, setAsked] = useState<Asked | null>(null);
  const place = { orgId: org.id, shopId: shop.shop_id, p1Id: product.p1_id };
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
