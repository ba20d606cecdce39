import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Choice } from '../controls/choice';
import { Failure } from '../settings/failure';
import { LeaveGuard } from '../settings/leave-guard';
import { GhostRows, SettingsPage, SettingsSection } from '../settings/settings-page';
import { useSettingsTexts } from '../settings/settings-texts';
import { useAct } from '../settings/use-act';
import { Fault } from '../shell/fault';
import { useOnline } from '../shell/online';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { type Draft, type Editing, edited, inMode, isOvertaken, isSame, toggled } from './workflow';
import { saveWorkflow, type StoredWorkflow, workflowQuery } from './workflow.calls';
import { WorkflowMap } from './workflow-map';
import { WorkflowTrial } from './workflow-trial';

const MODES = ['default', 'open', 'custom'] as const;

/** Which status may follow which: drawn, tried, then saved. */
export function WorkflowPage() {
  const { workflow: texts } = useSettingsTexts();
  const { org } = useSession();
  const { data, error, isPending, refetch } = useQuery(workflowQuery(org.id));
  return (
    <SettingsPage title={texts.title}>
      {isPending && <GhostRows />}
      {error && !data && <Fault error={error} onAgain={() => void refetch()} />}
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
      <WorkflowMap
        draft={draft}
        isLocked={act.isPending}
        onToggle={(from, to) => change(toggled(draft, from, to))}
      />
      <WorkflowTrial transitions={draft.transitions} />
      <Failure act={isLate ? { failure: texts.overtaken } : act} />
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
  const { org } = useSession();
  const client = useQueryClient();
  const { queryKey } = workflowQuery(org.id);
  const [editing, setEditing] = useState<Editing | null>(null);
  const draft = editing?.draft ?? saved;
  const act = useAct({
    send: async () => {
      const present = await client.query({ ...workflowQuery(org.id), staleTime: 0 });
      return isOvertaken(editing, present) ? null : saveWorkflow(org.id, draft, present.version);
    },
    overtaken: texts.overtaken,
    queryKey,
    onDone: (stored) => {
      // The page says why: it has what was read.
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
