import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import { Button } from '../../controls/button';
import { Choice } from '../../controls/choice';
import { Picker } from '../../controls/picker';
import { ORDER_STATUSES } from '../../orders/orders/order-search';
import { useOrderTexts } from '../../orders/orders/order-texts';
import { Failure } from '../../controls/failure';
import { LeaveGuard } from '../forms/leave-guard';
import { NotLoaded, SettingsPage, SettingsSection } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { useAct } from '../forms/use-act';
import { call } from '../../calls/api';
import { useOnline } from '../../session/online';
import { toasts } from '../../messages/toasts';
import {
  type Draft,
  edited,
  type Editing,
  inMode,
  isOvertaken,
  isSame,
  toggled,
  type Transitions,
  unreachable,
} from './workflow';
import css from './workflow.module.css';

const MODES = ['default', 'open', 'custom'] as const;
const CLOSED_ORDER_RULES = ['refuse', 'allow'] as const;

/** Which status may follow which: drawn, tried, then saved. */
export default function WorkflowPage() {
  const { workflow: texts } = useSettingsTexts();
  const query = useQuery(workflowQuery);
  const { data } = query;
  return (
    <SettingsPage isWide title={texts.title} about={texts.about}>
      <NotLoaded query={query} />
      {data && <Editor saved={data} />}
    </SettingsPage>
  );
}

function Editor({ saved }: { saved: StoredWorkflow }) {
  const { workflow: texts } = useSettingsTexts();
  const online = useOnline();
  const { draft, change, discard, act, isLate } = useEditing(saved);
  const isDirty = !isSame(draft, saved);
  return (
    <>
      <SettingsSection>
        <Choice
          label={texts.mode}
          hint={texts.modeHints[draft.mode]}
          values={MODES.map((value) => ({ value, name: texts.modes[value] }))}
          selected={draft.mode}
          isDisabled={act.isPending}
          onSelect={(mode) => change(inMode(mode, draft))}
        />
      </SettingsSection>
      <SettingsSection>
        <Choice
          label={texts.closedOrders}
          hint={texts.closedOrderHints[draft.closed_orders]}
          values={CLOSED_ORDER_RULES.map((value) => ({ value, name: texts.closedOrderRules[value] }))}
          selected={draft.closed_orders}
          isDisabled={act.isPending}
          onSelect={(closed_orders) => change({ ...draft, closed_orders })}
        />
      </SettingsSection>
      <WorkflowMap
        draft={draft}
        isLocked={act.isPending}
        onToggle={(from, to) => change(toggled(draft, from, to))}
      />
      <WorkflowTrial transitions={draft.transitions} />
      <Failure why={isLate ? texts.overtaken : act.failure} />
      <div>
        <Button
          kind="main"
          isPending={act.isPending}
          isDisabled={!isDirty || isLate || !online}
          onPress={() => act.run()}
        >
          {texts.save}
        </Button>
        {isLate && <Button onPress={discard}>{texts.reload}</Button>}
      </div>
      <LeaveGuard isDirty={isDirty} />
    </>
  );
}

/** Without changes it follows the server. Changes are saved only on the workflow on which they began. */
function useEditing(saved: StoredWorkflow) {
  const { workflow: texts } = useSettingsTexts();
  const client = useQueryClient();
  const { queryKey } = workflowQuery;
  const [editing, setEditing] = useState<Editing | null>(null);
  const draft = editing?.draft ?? saved;
  const act = useAct({
    send: async () => {
      const present = await client.query({ ...workflowQuery, staleTime: 0 });
      return isOvertaken(editing, present) ? null : saveWorkflow(draft, present.version);
    },
    overtaken: texts.overtaken,
    queryKey,
    onDone: (stored) => {
      // The page shows why: it has what was read.
      if (stored === null) return;
      client.setQueryData(queryKey, stored);
      setEditing(null);
      toasts.show({ text: texts.saved });
    },
  });
  const change = (next: Draft) => setEditing((before) => edited(before, saved, next));
  const discard = () => setEditing(null);
  return { draft, change, discard, act, isLate: isOvertaken(editing, saved) };
}

interface Props {
  draft: Draft;
  isLocked: boolean;
  onToggle: (from: OrderStatus, to: OrderStatus) => void;
}

/** Each status with the steps that lead on from it. A step that is pressed comes or goes. */
function WorkflowMap({ draft, isLocked, onToggle }: Props) {
  const { workflow: texts } = useSettingsTexts();
  const { status: names } = useOrderTexts();
  const lost = unreachable(draft.transitions);
  return (
    <SettingsSection title={texts.map}>
      <p className={css.hint}>{texts.mapHint}</p>
      <ol className={css.map}>
        {ORDER_STATUSES.map((from) => (
          <li key={from} className={css.from}>
            <span className={css.status}>{names[from]}</span>
            <span className={css.arrow} aria-hidden>
              {'→'}
            </span>
            <div className={css.steps} role="group" aria-label={texts.from(names[from])}>
              {ORDER_STATUSES.filter((to) => to !== from).map((to) => (
                <button
                  key={to}
                  type="button"
                  className={css.step}
                  disabled={isLocked}
                  aria-pressed={draft.transitions[from].includes(to)}
                  onClick={() => {
                    onToggle(from, to);
                  }}
                >
                  {names[to]}
                </button>
              ))}
            </div>
          </li>
        ))}
      </ol>
      <p role="status" className={css.lost}>
        {lost.length > 0 && texts.unreachable(lost.map((status) => names[status]).join(', '))}
      </p>
    </SettingsSection>
  );
}

/** Walks an imagined order through the workflow as it is drawn, before it is saved. */
function WorkflowTrial({ transitions }: { transitions: Transitions }) {
  const { workflow: texts } = useSettingsTexts();
  const { status: names } = useOrderTexts();
  const [start, setStart] = useState<OrderStatus>('pending');
  const [steps, setSteps] = useState<readonly OrderStatus[]>([]);
  const at = steps.at(-1) ?? start;
  const next = transitions[at];
  return (
    <SettingsSection title={texts.trial}>
      <div className={css.start}>
        <span>{texts.trialStart}</span>
        <Picker
          label={texts.trialStart}
          choices={ORDER_STATUSES.map((id) => ({ id, name: names[id] }))}
          chosen={start}
          onChoose={(id) => {
            const chosen = ORDER_STATUSES.find((status) => status === id);
            if (!chosen) return;
            setStart(chosen);
            setSteps([]);
          }}
        />
      </div>
      <p role="status">
        {[start, ...steps].map((status) => names[status]).join(' → ')}
        {next.length === 0 && ` · ${texts.final}`}
      </p>
      <div className={css.next} role="group" aria-label={texts.next(names[at])}>
        {next.map((to) => (
          <Button key={to} onPress={() => setSteps([...steps, to])}>
            {names[to]}
          </Button>
        ))}
        {steps.length > 0 && (
          <Button kind="quiet" onPress={() => setSteps([])}>
            {texts.again}
          </Button>
        )}
      </div>
    </SettingsSection>
  );
}

const WORKFLOW = '/api/v2/public/orgs/{orgId}/settings/workflow';

interface StoredWorkflow extends Draft {
  version: string;
}

const workflowQuery = queryOptions({
  queryKey: ['workflow'],
  queryFn: ({ signal }): Promise<StoredWorkflow> => call('GET', WORKFLOW, { signal }),
});

/**
 * On the version that the person saw. The fixed ones take no transitions, so that a later change of the standard
 * applies.
 */
async function saveWorkflow(
  { mode, transitions, closed_orders }: Draft,
  version: string,
): Promise<StoredWorkflow> {
  const body = { mode, closed_orders, ...(mode === 'custom' && { transitions: { ...transitions } }) };
  const header = { 'If-Match': `"${version}"` };
  return call('PUT', WORKFLOW, { header, body });
}
