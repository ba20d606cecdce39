import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Role } from '@offizin/contracts/people/roles';
import { Button } from '../../controls/button';
import { Check } from '../../controls/check';
import { Chip } from '../../controls/chip';
import { Failure } from '../../controls/failure';
import { RowMenu } from '../forms/row-menu';
import { NotLoaded, SettingsList, SettingsPage, SettingsRow, SettingsSection } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { useAct } from '../forms/use-act';
import { Fault } from '../../messages/fault';
import { useOnline } from '../../session/online';
import { useSession } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { useFormats, useTexts } from '../../text/texts';
import type { OpenPerson, PersonAct } from './person-acts';
import { type Person, setSignInRules, signInRulesQuery, staffQuery } from './staff.calls';

/** Loaded with the first press that opens them. */
const InviteDialog = lazy(() => import('./invite-dialog'));
const PersonActs = lazy(() => import('./person-acts'));

const ACTS: readonly PersonAct[] = ['change', 'link', 'signOut', 'removeFactor', 'switch'];

/** Who works here: invite, change name and role, switch off and on, a new link, sign out everywhere. */
export default function StaffPage() {
  const { staff: texts } = useSettingsTexts();
  const online = useOnline();
  const query = useQuery(staffQuery);
  const { data } = query;
  const [isInviting, setInviting] = useState(false);
  const [open, setOpen] = useState<OpenPerson | null>(null);
  return (
    <SettingsPage
      title={texts.title}
      about={texts.about}
      act={
        <Button kind="main" isDisabled={!data || !online} onPress={() => setInviting(true)}>
          {texts.invite}
        </Button>
      }
    >
      <NotLoaded query={query} />
      {data && (
        <SettingsList label={texts.title}>
          {data.map((person) => (
            <Row key={person.id} person={person} onAct={(act) => setOpen({ act, person })} />
          ))}
        </SettingsList>
      )}
      <SignInRulesSection />
      <Suspense>
        {isInviting && <InviteDialog count={data?.length ?? 0} onClose={() => setInviting(false)} />}
        {open && <PersonActs {...open} onClose={() => setOpen(null)} />}
      </Suspense>
    </SettingsPage>
  );
}

function Row({ person, onAct }: { person: Person; onAct: (act: PersonAct) => void }) {
  const shared = useTexts();
  const { staff: texts } = useSettingsTexts();
  const formats = useFormats();
  const { staff } = useSession();
  const { id, name, email, role, is_active: isActive, has_joined: hasJoined, last_seen_at: seenAt } = person;
  // A link is for who can use it.
  const acts = ACTS.filter((act) =>
    act === 'removeFactor' ? person.has_second_factor : isActive || act === 'change' || act === 'switch',
  );
  const isOther = id !== staff.id;
  const wordOf = (act: (typeof acts)[number]) => {
    if (act === 'switch' && !isActive) return 'switchOn';
    return act === 'link' && !hasJoined ? 'invitation' : act;
  };
  return (
    <SettingsRow
      isOver={!isActive}
      title={
        <>
          {name}
          {!isOther && <Chip>{texts.you}</Chip>}
          {!isActive && <Chip tone="warn">{texts.off}</Chip>}
          {person.has_second_factor && <Chip tone="good">{texts.secondFactor}</Chip>}
          {isActive && !hasJoined && <Chip tone="info">{texts.invited}</Chip>}
        </>
      }
      lines={[email]}
      facts={[
        shared.shell.roles[role],
        seenAt === null ? (
          texts.neverSeen
        ) : (
          <span title={formats.exact(seenAt)}>{texts.seen(formats.age(seenAt))}</span>
        ),
      ]}
    >
      <RowMenu
        name={name}
        choices={acts.map((act) => ({
          id: act,
          label: texts.acts[wordOf(act)],
          run: () => {
            onAct(act);
          },
        }))}
      />
    </SettingsRow>
  );
}

const ROLES = ['owner', 'pharmacist', 'clerk'] as const satisfies readonly Role[];

/** Which roles need a second factor. Saved as soon as it is chosen. */
function SignInRulesSection() {
  const shared = useTexts();
  const { me, staff: texts } = useSettingsTexts();
  const rules = signInRulesQuery;
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(rules);
  const act = useAct({
    send: (second_factor_roles: Role[]) => setSignInRules({ second_factor_roles }),
    queryKey: rules.queryKey,
    onDone: (saved) => {
      // A change sends the whole list: the next one must start from the saved list, not from the one before it.
      client.setQueryData(rules.queryKey, saved);
      toasts.show({ text: me.saved });
    },
  });
  if (!data) return error && <Fault error={error} onAgain={() => void refetch()} />;
  const { second_factor_roles: needing } = data;
  return (
    <SettingsSection title={texts.needFactor}>
      <p>{texts.needFactorHint}</p>
      {ROLES.map((role) => {
        const isNeeded = needing.includes(role);
        const others = needing.filter((other) => other !== role);
        return (
          <Check
            key={role}
            label={shared.shell.roles[role]}
            isChecked={isNeeded}
            isPending={act.isPending}
            onToggle={() => act.run(isNeeded ? others : [...others, role])}
          />
        );
      })}
      <Failure why={act.failure} />
    </SettingsSection>
  );
}
