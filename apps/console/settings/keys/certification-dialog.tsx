import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CertifiedStep } from '@offizin/contracts/requests/certification';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { Picker } from '../../controls/picker';
import { NotLoaded } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { useFormats, useLanguage, useTexts } from '../../text/texts';
import { certificationQuery, testShopsQuery } from './api-keys.calls';
import css from './certification-dialog.module.css';
import type { ApiKey } from './key-state';

interface Props {
  apiKey: ApiKey;
  onClose: () => void;
}

/** What the partner of a key has done at a test shop, step by step. */
export default function CertificationDialog({ apiKey: { id, name, shop_id: boundTo }, onClose }: Props) {
  const { apiKeys } = useSettingsTexts();
  const { shell } = useTexts();
  const texts = apiKeys.certification;
  const shops = useQuery(testShopsQuery);
  const [chosen, choose] = useState<string>();
  const open = shops.data?.filter(({ shop_id: shopId }) => boundTo === null || boundTo === shopId);
  const shopId = chosen ?? open?.[0]?.shop_id;
  return (
    <Dialog title={texts.title(name)} onClose={onClose}>
      <p>{texts.about}</p>
      <NotLoaded query={shops} />
      {open?.length === 0 && <p>{texts.noTestShop}</p>}
      {open && open.length > 1 && (
        <Picker
          label={apiKeys.shop}
          choices={open.map((shop) => ({ id: shop.shop_id, name: shop.name }))}
          chosen={shopId ?? ''}
          onChoose={choose}
        />
      )}
      {shopId !== undefined && <Steps keyId={id} shopId={shopId} />}
      <DialogButtons>
        <Button autoFocus onPress={onClose}>
          {shell.close}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function Steps({ keyId, shopId }: { keyId: string; shopId: string }) {
  const texts = useSettingsTexts().apiKeys.certification;
  const query = useQuery(certificationQuery(keyId, shopId));
  const { data: { steps } = {} } = query;
  if (!steps) return <NotLoaded query={query} />;
  const done = steps.filter(({ done_at: doneAt }) => doneAt !== null);
  return (
    <>
      <p className={css.count}>{texts.done(done.length, steps.length)}</p>
      <ul className={css.steps} aria-label={texts.steps}>
        {steps.map((step) => (
          <Step key={step.name} step={step} />
        ))}
      </ul>
    </>
  );
}

/** The id of the call is for the partner's own log. */
function Step({ step: { text, done_at: doneAt, request_id: requestId } }: { step: CertifiedStep }) {
  const texts = useSettingsTexts().apiKeys.certification;
  const formats = useFormats();
  const language = useLanguage();
  return (
    <li className={css.step}>
      <span>{text[language]}</span>
      {doneAt === null ? (
        <Chip>{texts.open}</Chip>
      ) : (
        <span className={css.when} title={formats.exact(doneAt)}>
          {formats.dateTime(doneAt)}
          <br />
          <code className={css.call}>{requestId}</code>
        </span>
      )}
    </li>
  );
}
