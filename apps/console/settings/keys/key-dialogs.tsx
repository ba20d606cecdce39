import { useState } from 'react';
import type { CreateApiKeyBody, CreatedApiKey } from '@offizin/contracts/people/directory';
import type { Scope } from '@offizin/contracts/people/scopes';
import { Button } from '../../controls/button';
import { Check } from '../../controls/check';
import { Choice } from '../../controls/choice';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { Picker } from '../../controls/picker';
import { ActButtons } from '../forms/act-buttons';
import { AskDialog } from '../forms/ask-dialog';
import { SecretDialog } from '../forms/secret-dialog';
import { FormDialog } from '../forms/form-dialog';
import { useSettingsTexts } from '../forms/settings-texts';
import { ownMistakes, useAct, useSendKey } from '../forms/use-act';
import { useSession } from '../../session/session.calls';
import { useFormats } from '../../text/texts';
import { apiKeysQuery, createKey, revokeKey, rotateKey } from './api-keys.calls';
import css from './key-dialogs.module.css';
import { bodyOf, EMPTY_DRAFT, isComplete, type KeyDraft, LIFETIMES } from './key-draft';
import type { ApiKey } from './key-state';

/** Name, kind, rights or shop, lifetime; then the key, shown once. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { apiKeys: texts } = useSettingsTexts();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  // One moment for all attempts: the same body is the same key.
  const [beganMs] = useState(() => Date.now());
  const sendUnderKey = useSendKey();
  const act = useAct({
    send: (body: CreateApiKeyBody) => sendUnderKey(body, (key) => createKey(body, key)),
    queryKey: apiKeysQuery.queryKey,
    onDone: setMade,
    conflict: texts.tooMany,
  });
  if (made) return <KeyShown made={made} onClose={onClose} />;
  return (
    <FormDialog
      title={texts.create}
      act={act}
      does={texts.create}
      isReady={isComplete(draft)}
      mistakes={ownMistakes(act, { name: texts.noName })}
      onSend={() => isComplete(draft) && act.run(bodyOf(draft, beganMs))}
      onClose={onClose}
    >
      <KeyFields draft={draft} change={(change) => setDraft((before) => ({ ...before, ...change }))} />
    </FormDialog>
  );
}

const OVERLAP_DAYS = ['0', '1', '7', '30'] as const;
const DAY_SECONDS = 86_400;

interface Props {
  apiKey: ApiKey;
  onClose: () => void;
}

/** A new key of the same rights. The old one counts for a while, so that its user can change over. */
export function RotateDialog({ apiKey, onClose }: Props) {
  const { apiKeys: texts } = useSettingsTexts();
  const [days, setDays] = useState<(typeof OVERLAP_DAYS)[number]>('1');
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const sendUnderKey = useSendKey();
  const act = useAct({
    send: () => sendUnderKey(days, (key) => rotateKey(apiKey.id, Number(days) * DAY_SECONDS, key)),
    queryKey: apiKeysQuery.queryKey,
    onDone: setMade,
    conflict: texts.notRotatable,
  });
  if (made) return <KeyShown made={made} onClose={onClose} />;
  return (
    <Dialog title={texts.rotateTitle(apiKey.name)} isBusy={act.isPending} onClose={onClose}>
      <p>{texts.rotateText}</p>
      <Choice
        label={texts.overlap}
        values={OVERLAP_DAYS.map((value) => ({ value, name: texts.overlaps[value] }))}
        selected={days}
        onSelect={setDays}
      />
      <ActButtons act={act} onClose={onClose}>
        <Button kind="main" autoFocus isPending={act.isPending} onPress={() => act.run()}>
          {texts.rotate}
        </Button>
      </ActButtons>
    </Dialog>
  );
}

export function RevokeDialog({ apiKey: { id, name }, onClose }: Props) {
  const { apiKeys: texts } = useSettingsTexts();
  return (
    <AskDialog
      {...texts.revoke}
      title={texts.revoke.title(name)}
      send={() => revokeKey(id)}
      queryKey={apiKeysQuery.queryKey}
      said={texts.revoked(name)}
      onClose={onClose}
    />
  );
}

const KINDS = ['org', 'int'] as const;

interface KeyFieldsProps {
  draft: KeyDraft;
  change: (change: Partial<KeyDraft>) => void;
}

function KeyFields({ draft, change }: KeyFieldsProps) {
  const { name, kind, scopes, shopId, readsAssortment, days } = draft;
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
        <>
          <Picker
            label={texts.shop}
            choices={[
              { id: '', name: texts.allShops },
              ...shops.map((shop) => ({ id: shop.shop_id, name: shop.name })),
            ]}
            chosen={shopId}
            onChoose={(chosen) => change({ shopId: chosen })}
          />
          <Check
            label={texts.readsAssortment}
            isChecked={readsAssortment}
            onToggle={() => change({ readsAssortment: !readsAssortment })}
          />
        </>
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

interface ScopeChoiceProps {
  chosen: readonly Scope[];
  onChoose: (chosen: readonly Scope[]) => void;
}

/** The rights that a key can have, and that the person has. */
function ScopeChoice({ chosen, onChoose }: ScopeChoiceProps) {
  const { apiKeys: texts } = useSettingsTexts();
  const { scopes } = useSession();
  const known = Object.entries(texts.scopes).flatMap(([id, name]) => {
    const scope = scopes.find((own): own is Scope => own === id);
    return scope === undefined ? [] : [{ scope, name }];
  });
  return (
    <fieldset className={css.scopes}>
      <legend className={css.legend}>{texts.may}</legend>
      {known.map(({ scope, name }) => (
        <Check
          key={scope}
          label={name}
          isChecked={chosen.includes(scope)}
          onToggle={() => {
            onChoose(chosen.includes(scope) ? chosen.filter((other) => other !== scope) : [...chosen, scope]);
          }}
        />
      ))}
    </fieldset>
  );
}

interface KeyShownProps {
  made: CreatedApiKey;
  onClose: () => void;
}

function KeyShown({ made, onClose }: KeyShownProps) {
  const { apiKeys: texts } = useSettingsTexts();
  const formats = useFormats();
  const { name, api_key: secret, expires_at: endsAt } = made;
  return (
    <SecretDialog
      title={texts.madeTitle(name)}
      label={texts.key}
      secret={secret}
      stored={texts.stored}
      onClose={onClose}
    >
      <p>{endsAt === null ? texts.endless : texts.until(formats.dateTime(endsAt))}</p>
    </SecretDialog>
  );
}
