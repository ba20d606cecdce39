import type { ReactNode } from 'react';
import { Chip } from '../../controls/chip';
import { RowMenu } from '../forms/row-menu';
import { SettingsRow } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { useSession } from '../../session/session.calls';
import { useFormats } from '../../text/texts';
import css from './key-row.module.css';
import { type ApiKey, endsSoon, type KeyState, stateOf } from './key-state';

const TONES = { live: 'plain', replaced: 'warn', expired: 'plain', revoked: 'plain' } as const;
export type KeyAct = 'certification' | 'rotate' | 'revoke';
/** A key that was replaced has a successor, which is the one to replace. */
const ACTS: Readonly<Record<KeyState, readonly KeyAct[]>> = {
  live: ['rotate', 'revoke'],
  replaced: ['revoke'],
  expired: [],
  revoked: [],
};

interface Props {
  apiKey: ApiKey;
  nowMs: number;
  onAct: (act: KeyAct) => void;
}

export function KeyRow({ apiKey, nowMs, onAct }: Props) {
  const { apiKeys: texts } = useSettingsTexts();
  const state = stateOf(apiKey, nowMs);
  const acts = ACTS[state];
  const times = useTimes(apiKey);
  return (
    <SettingsRow
      isOver={acts.length === 0}
      title={
        <>
          {apiKey.name}
          {state !== 'live' && <Chip tone={TONES[state]}>{texts.states[state]}</Chip>}
          {endsSoon(apiKey, nowMs) && <Chip tone="warn">{texts.endsSoon}</Chip>}
        </>
      }
      lines={[<Rights key="rights" apiKey={apiKey} />]}
      facts={times}
    >
      {acts.length > 0 && (
        <RowMenu
          name={apiKey.name}
          choices={(apiKey.kind === 'int' ? (['certification', ...acts] as const) : acts).map((act) => ({
            id: act,
            label: texts.acts[act],
            run: () => {
              onAct(act);
            },
          }))}
        />
      )}
    </SettingsRow>
  );
}

/** As sentences; many of them fold. */
function Rights({ apiKey: { kind, scopes, shop_id: shopId } }: { apiKey: ApiKey }) {
  const { apiKeys: texts } = useSettingsTexts();
  const { shops } = useSession();
  if (kind === 'int')
    return shopId === null
      ? texts.connectorOfAll
      : texts.connectorOf(shops.find((shop) => shop.shop_id === shopId)?.name ?? texts.unknownShop);
  if (scopes.length === 0) return texts.noRights;
  return (
    <details className={css.rights}>
      <summary>{texts.rights(scopes.length)}</summary>
      <ul>
        {scopes.map((scope) => (
          <li key={scope}>{texts.scopes[scope]}</li>
        ))}
      </ul>
    </details>
  );
}

/** When it was used, and from when until when it counts. */
function useTimes(apiKey: ApiKey): ReactNode[] {
  const { apiKeys: texts } = useSettingsTexts();
  const formats = useFormats();
  const { expires_at: endsAt, revoked_at: revokedAt, last_used_at: usedAt, created_at: createdAt } = apiKey;
  const moment = (time: string, text: string) => <span title={formats.exact(time)}>{text}</span>;
  const end = endsAt === null ? texts.endless : moment(endsAt, texts.until(formats.dateTime(endsAt)));
  return [
    usedAt === null ? texts.unused : moment(usedAt, texts.used(formats.age(usedAt))),
    <>
      {moment(createdAt, texts.since(formats.date(createdAt)))}
      <br />
      {revokedAt === null ? end : moment(revokedAt, texts.revokedAt(formats.dateTime(revokedAt)))}
    </>,
  ];
}
