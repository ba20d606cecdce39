import { Choice } from '../controls/choice';
import { Field } from '../controls/field';
import { Picker } from '../controls/picker';
import { useSettingsTexts } from '../settings/settings-texts';
import { useSession } from '../shell/session.calls';
import { type KeyDraft, LIFETIMES } from './key-draft';
import { ScopeChoice } from './scope-choice';

const KINDS = ['org', 'int'] as const;

interface Props {
  draft: KeyDraft;
  change: (change: Partial<KeyDraft>) => void;
}

export function KeyFields({ draft: { name, kind, scopes, shopId, days }, change }: Props) {
  const { apiKeys: texts } = useSettingsTexts();
  const { shops } = useSession();
  return (
    <>
      <Field
        autoFocus
        label={texts.name}
        hint={texts.nameHint}
        name="name"
        maxLength={100}
        value={name}
        onChange={(typed) => change({ name: typed })}
      />
      <Choice
        label={texts.kind}
        hint={texts.kindHints[kind]}
        values={KINDS.map((value) => ({ value, name: texts.kinds[value] }))}
        selected={kind}
        onSelect={(chosen) => change({ kind: chosen })}
      />
      {kind === 'org' ? (
        <ScopeChoice chosen={scopes} onChoose={(chosen) => change({ scopes: chosen })} />
      ) : (
        <Picker
          label={texts.shop}
          choices={[
            { id: '', name: texts.allShops },
            ...shops.map((shop) => ({ id: shop.shop_id, name: shop.name })),
          ]}
          chosen={shopId}
          onChoose={(chosen) => change({ shopId: chosen })}
        />
      )}
      <Choice
        label={texts.lifetime}
        values={LIFETIMES.map((value) => ({ value, name: texts.lifetimes[value] }))}
        selected={days}
        onSelect={(chosen) => change({ days: chosen })}
      />
    </>
  );
}
