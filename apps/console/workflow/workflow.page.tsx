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
import { type Draft, inMode, isSame, toggled } from './workflow';
import { saveWorkflow, workflowQuery } from './workflow.calls';
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

function Editor({ saved }: { saved: Draft }) {
  const { workflow: texts } = useSettingsTexts();
  const online = useOnline();
  const { org } = useSession();
  const client = useQueryClient();
  const { queryKey } = workflowQuery(org.id);
  // Null while nothing is changed: then it follows what the server has.
  const [changed, setChanged] = useState<Draft | null>(null);
  const draft = changed ?? saved;
  const isDirty = !isSame(draft, saved);
  const act = useAct({
    send: () => saveWorkflow(org.id, draft),
    queryKey,
    onDone: (stored) => {
      client.setQueryData(queryKey, stored);
      setChanged(null);
      toasts.show({ text: texts.saved });
    },
  });
  return (
    <>
      <SettingsSection>
        <Choice
          label={texts.mode}
          hint={texts.modeHints[draft.mode]}
          values={MODES.map((value) => ({ value, name: texts.modes[value] }))}
          selected={draft.mode}
          onSelect={(mode) => setChanged(inMode(mode, draft))}
        />
      </SettingsSection>
      <WorkflowMap
        draft={draft}
        onToggle={(from, to) => {
          setChanged(toggled(draft, from, to));
        }}
      />
      <WorkflowTrial transitions={draft.transitions} />
      <Failure act={act} />
      <div>
        <Button
          kind="main"
          isPending={act.isPending}
          isDisabled={!isDirty || !online}
          onPress={() => act.run()}
        >
          {texts.save}
        </Button>
      </div>
      <LeaveGuard isDirty={isDirty} />
    </>
  );
}
