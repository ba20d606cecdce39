import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ShopSettings } from '@offizin/contracts/orders/settings';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { EmptyState } from '../../controls/empty-state';
import { NotLoaded, SettingsList, SettingsPage, SettingsRow } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { useOnline } from '../../session/online';
import { useTexts } from '../../text/texts';
import { shopQuery, shopsQuery } from './shops.calls';

/** Loaded with the first press that opens it. */
const ShopDialog = lazy(() => import('./shop-dialog'));
const TestShopDialog = lazy(() => import('./test-shop-dialog'));

/** Name, domain and activity of each shop. The operator of the platform creates all but test shops. */
export default function ShopsPage() {
  const { shops: texts } = useSettingsTexts();
  const query = useQuery(shopsQuery);
  const { data } = query;
  const [open, setOpen] = useState<ShopSettings | null>(null);
  const [isMaking, setMaking] = useState(false);
  return (
    <SettingsPage
      title={texts.title}
      about={texts.hint}
      act={<Button onPress={() => setMaking(true)}>{texts.newTest}</Button>}
    >
      <NotLoaded query={query} />
      {data?.length === 0 && <EmptyState title={texts.none} hint={texts.noneHint} />}
      {data && data.length > 0 && (
        <SettingsList label={texts.title}>
          {data.map(({ shop_id: id, name }) => (
            <Row key={id} shopId={id} listedName={name} onChange={setOpen} />
          ))}
        </SettingsList>
      )}
      <Suspense>
        {open && (
          <ShopDialog key={open.version} shop={open} onClose={() => setOpen(null)} onNewer={setOpen} />
        )}
        {isMaking && <TestShopDialog onClose={() => setMaking(false)} />}
      </Suspense>
    </SettingsPage>
  );
}

interface RowProps {
  shopId: string;
  /** Until the settings are there. */
  listedName: string;
  onChange: (shop: ShopSettings) => void;
}

function Row({ shopId, listedName, onChange }: RowProps) {
  const shared = useTexts();
  const { shops: texts } = useSettingsTexts();
  const online = useOnline();
  const { data: shop, error, refetch } = useQuery(shopQuery(shopId));
  const name = shop?.name ?? listedName;
  return (
    <SettingsRow
      isOver={shop?.is_active === false}
      title={
        <>
          {name}
          {shop?.is_test && <Chip tone="info">{shared.filters.test}</Chip>}
          {shop?.is_active === false && <Chip tone="warn">{texts.closed}</Chip>}
        </>
      }
      lines={[shop ? shop.domain : error ? texts.unknown : shared.shell.loading]}
    >
      {error && !shop ? (
        <Button onPress={() => void refetch()}>{shared.fault.again}</Button>
      ) : (
        <Button
          aria-label={texts.changeTitle(name)}
          isDisabled={!shop || !online}
          onPress={() => shop && onChange(shop)}
        >
          {texts.change}
        </Button>
      )}
    </SettingsRow>
  );
}
